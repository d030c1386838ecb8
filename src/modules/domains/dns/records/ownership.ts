import { type DomainFacts, type ExpectedRecord, mismatch, ok } from './record';

export function ownershipRecord({ name, ownershipToken }: DomainFacts): ExpectedRecord {
  const expected = `postroom-verify=${ownershipToken}`;
  return {
    purpose: 'ownership',
    type: 'TXT',
    name: `_postroom.${name}`,
    expected,
    required: false,
    concerns: (value) => value.startsWith('postroom-verify='),
    missing: { severity: 'info', message: 'This record proves that the domain is yours. Mail works without it.' },
    judge: (values) =>
      values.includes(expected)
        ? ok('The domain is verified.')
        : mismatch('warning', 'The record has the token of another server or domain.', 'Replace the record’s value.'),
  };
}
