import { expect, it } from 'vitest';
import type { AuditEntry } from '../../schema';
import { restoredValues, whyNotRestored } from './restored-values';

const entry = (action: string, before: object | null, after: object | null, over: object = {}) =>
  ({ action, outcome: 'success', details: { before, after, ...over } }) as Partial<AuditEntry> as AuditEntry;

it('the values before an update are those of the fields that it changed and that an update can set', () => {
  const before = { destination: 'a@x.example', active: true, warnings: [], updated_at: '1' };
  const after = { destination: 'b@x.example', active: true, warnings: ['x'], updated_at: '2' };
  expect(restoredValues(entry('alias.update', before, after))).toEqual({ destination: 'a@x.example' });
  expect(restoredValues(entry('domain.update', { max_aliases: null }, { max_aliases: 5 }))).toEqual({
    max_aliases: null,
  });
  expect(restoredValues(entry('abuse_threshold.update', { mailbox_hourly: 200 }, { mailbox_hourly: 5 }))).toEqual({
    mailbox_hourly: 200,
  });
  expect(restoredValues(entry('admin.update', { role: 'admin' }, { role: 'super_admin' }))).toEqual({ role: 'admin' });
});

it('what is no update of a record, or was refused, has no values to restore', () => {
  const [before, after] = [{ active: true }, { active: false }];
  expect(restoredValues(entry('alias.create', null, after))).toBeNull();
  expect(restoredValues(entry('alias.delete', before, null))).toBeNull();
  expect(restoredValues(entry('mailbox.suspend', { suspended: false }, { suspended: true }))).toBeNull();
  expect(restoredValues({ ...entry('alias.update', before, after), outcome: 'denied' })).toBeNull();
  expect(restoredValues(entry('alias.update', before, before))).toBeNull();
});

it('passwords, secrets and the URL of a webhook are never restored, with the reason', () => {
  const password = entry(
    'mailbox.update',
    { password_changed_at: '1' },
    { password_changed_at: '2' },
    { password_changed: true },
  );
  expect(restoredValues(password)).toBeNull();
  expect(whyNotRestored(password)).toMatch(/^A password can’t be restored/);
  const url = entry('webhook.update', { url: 'https://x/…', active: true }, { url: 'https://y/…', active: false });
  expect(restoredValues(url)).toEqual({ active: true });
  expect(whyNotRestored(url)).toMatch(/^The URL can’t be restored/);
  expect(whyNotRestored(entry('webhook.rotate_secret', null, null))).toMatch(/^A secret can’t be restored/);
  expect(whyNotRestored(entry('webhook.update', { active: true }, { active: false }))).toBeNull();
});
