import { expect, it } from 'vitest';
import type { Suppression } from '../schema';
import { briefDetail, warningOfAll } from './suppression-values';

const brief = (detail: string) => briefDetail({ email: 'ann@far.example', detail });

it('shortens a reply to its enhanced code and what it says besides', () => {
  expect(brief('550 5.1.1 <ann@far.example>: Recipient address rejected: User unknown')).toBe('5.1.1 User unknown');
  expect(brief('550-5.1.1 The account does not exist')).toBe('5.1.1 The account does not exist');
});

it('keeps a reply without an enhanced code, and a note', () => {
  expect(brief('550 no such user here')).toBe('550 no such user here');
  expect(brief('Asked by phone')).toBe('Asked by phone');
});

it('counts the reasons of several suppressions', () => {
  const of = (reason: Suppression['reason']) => ({ reason }) as Suppression;
  expect(warningOfAll([of('manual'), of('bounce'), of('bounce')])).toMatch(/^Bounced: 2, added by hand: 1\. /);
});
