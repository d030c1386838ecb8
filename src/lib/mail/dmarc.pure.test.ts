import { describe, expect, it } from 'vitest';
import { appliedPolicy, type DmarcPlace } from './dmarc';

const tagsOf = (record: string) => {
  return new Map(record.split('; ').map((tag) => tag.split('=') as [string, string]));
};

describe('the policy of a DMARC record', () => {
  it.each<[string, DmarcPlace, string | null, string?]>([
    ['p=Reject; sp=none; np=quarantine', 'own', 'reject', 'p'],
    ['p=reject; sp=none; np=quarantine', 'below', 'none', 'sp'],
    ['p=reject; sp=none; np=quarantine', 'nonexistent', 'quarantine', 'np'],
    ['p=reject; sp=quarantine', 'nonexistent', 'quarantine', 'sp'],
    ['p=reject; np=none', 'below', 'reject', 'p'],
    ['p=reject; sp=rejekt', 'below', null],
    ['p=reject; sp=rejekt; rua=mailto:a@far.example', 'own', 'none', 'p'],
    ['p=reject; np=; rua=mailto:a@far.example', 'below', 'none', 'p'],
    ['sp=reject; rua=mailto:a@far.example', 'below', 'none', 'p'],
    ['sp=reject', 'below', null],
    ['p=rejekt; rua=mailto:a@far.example', 'own', 'none', 'p'],
    ['p=rejekt', 'own', null],
    ['p=rejekt; rua=', 'own', null],
    ['p=rejekt; rua=https://far.example', 'own', null],
    ['p=rejekt; rua=none, mailto:a@far.example!10m', 'own', 'none', 'p'],
    ['adkim=s', 'below', null],
  ])('%s applies %s as %s', (record, place, policy, tag) => {
    expect(appliedPolicy(tagsOf(record), place)).toEqual(policy && { policy, tag });
  });
});
