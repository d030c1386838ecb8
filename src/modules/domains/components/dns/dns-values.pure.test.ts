import { expect, it } from 'vitest';
import type { DnsRecord } from '../../dns/schema';
import { fieldsOf, isQuietSrv, isUnset, labelOf, markOf, relativeName } from './dns-values';
import { diffValues } from './value-diff';

const KEY = 'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA';
const changed = (parts: { text: string; isChanged: boolean }[]) =>
  parts.filter(({ isChanged }) => isChanged).map(({ text }) => text);
const whole = (parts: { text: string }[]) => parts.map(({ text }) => text).join('');

it.each([
  ['v=spf1 mx -all', 'v=spf1 mx include:far.example ?all', ['-all'], ['include:far.example ?all']],
  ['v=DMARC1; p=quarantine', 'v=DMARC1; p=none', ['quarantine'], ['none']],
  [`v=DKIM1; p=${KEY}AAAAQAB`, `v=DKIM1; p=${KEY}BBBBQAB`, ['AAAA'], ['BBBB']],
  ['10 mail.acme.example', '10 mail.acme.example', [], []],
])('marks what differs between %j and %j', (expected, found, inExpected, inFound) => {
  const diff = diffValues(expected, found);
  expect(whole(diff.expected)).toBe(expected);
  expect(whole(diff.found)).toBe(found);
  expect(changed(diff.expected)).toEqual(inExpected);
  expect(changed(diff.found)).toEqual(inFound);
});

it.each([
  ['acme.example', '@'],
  ['_dmarc.acme.example', '_dmarc'],
  ['mail.far.example', 'mail.far.example'],
  ['25.2.0.192.in-addr.arpa', '192.0.2.25'],
])('names %s as DNS providers ask for it', (name, shown) => {
  expect(relativeName(name, 'acme.example')).toBe(shown);
});

it.each([
  ['MX', '10 mail.acme.example', ['10', 'mail.acme.example']],
  ['SRV', '0 1 993 mail.acme.example', ['0', '1', '993', 'mail.acme.example']],
  ['TXT', 'v=spf1 mx -all', ['v=spf1 mx -all']],
])('splits a value of type %s into the fields of a form', (type, value, fields) => {
  expect(fieldsOf(type, value).map((field) => field.value)).toEqual(fields);
});

const OK = { status: 'ok', severity: 'ok', required: false, authoritative: [], inherited_from: null };

it.each([
  ['CAA without records', { ...OK, purpose: 'caa', expected: null, found: [] }, 'Not set', 'off'],
  ['CAA with records', { ...OK, purpose: 'caa', expected: null, found: ['0 issue "ca.example"'] }, 'Found', 'on'],
  ['a blocklist without the server', { ...OK, purpose: 'blocklist', expected: null, found: [] }, 'Passed', 'on'],
])('shows %s', (_, fields, label, mark) => {
  const record = fields as unknown as DnsRecord;
  expect([labelOf(record), markOf(record), isUnset(record)]).toEqual([label, mark, label === 'Not set']);
});

it.each([
  [{ status: 'ok' }, true],
  [{ status: 'ok', purpose: 'mx' }, false],
  [{ status: 'mismatch', severity: 'warning' }, false],
  [{ status: 'missing' }, false],
  [{ status: 'ok', found: [], expected: null }, false],
])('of SRV records, those that are as expected are folded: %j is %s', (fields, expected) => {
  const found = ['0 1 993 mail.acme.example'];
  const srv = { purpose: 'srv', severity: 'info', required: false, expected: found[0], found, authoritative: [] };
  expect(isQuietSrv({ ...srv, ...fields } as unknown as DnsRecord)).toBe(expected);
});
