import { type DomainFacts, type ExpectedRecord, mismatch, ok } from './record';

export function ownershipRecord({ name, ownershipToken }: DomainFacts): ExpectedRecord {
  const expected = `postroom-verify=${ownershipToken}`;
  return {
    purpose: 'ownership',
    type: 'TXT',
    name: `_postroom.${name}`,
    expected,
    required: false,
    concerns: (value) => /postroom-verify/i.test(value),
    missing: { severity: 'info', message: 'This record proves that the domain is yours. Mail works without it.' },
    judge(values) {
      if (values.includes(expected)) return ok('The domain is verified.');
      const message = values.some((value) => value.toLowerCase().includes(ownershipToken))
        ? 'The record has other characters than expected around the domain’s token.'
        : 'The record has the token of another server or domain.';
      return mismatch('warning', message, `Change it to ${expected}`);
    },
  };
}
