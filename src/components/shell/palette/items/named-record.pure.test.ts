import { expect, it } from 'vitest';
import { namedRecord } from './named-record';

it.each([
  ['suspend ann@acme.example', ['suspend'], 'ann@acme.example'],
  ['ann susp', ['suspend'], 'ann'],
  ['check ann@acme.example for misuse', ['misuse'], 'ann@acme.example'],
  ['history of acme', ['history'], 'acme'],
  ['replay failed deliveries of hooks.example', ['replay'], 'hooks.example'],
  ['restore deleted ann', ['restore'], 'ann'],
  ['new password of ann', ['password'], 'ann'],
  ['rotate secret of hooks.example', ['rotate'], 'hooks.example'],
  ['check dns of acme', ['dns'], 'acme'],
  ['revoke shop', ['revoke'], 'shop'],
])('finds the verb and the record in “%s”', (text, verbs, name) => {
  expect(namedRecord(text)).toEqual({ verbs, name });
});

it.each(['ann', 'suspend', 'history', 'sus ann', 'suspended@acme.example', 'suspend history ann'])(
  'takes “%s” for a name',
  (text) => {
    expect(namedRecord(text)).toEqual({ verbs: [], name: text });
  },
);
