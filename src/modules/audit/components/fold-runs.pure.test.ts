import { expect, it } from 'vitest';
import type { AuditEntry } from '../schema';
import { foldRuns, sendersOf } from './fold-runs';

let made = 0;

function entry(over: Partial<AuditEntry> = {}): AuditEntry {
  made += 1;
  return {
    id: `${made}`,
    admin_email: 'dana@here.example',
    api_key_id: null,
    action: 'alert.update',
    resource: `alert:${made}`,
    resource_name: `alert ${made}`,
    ip_address: '192.0.2.7',
    outcome: 'success',
    created_at: '2026-11-29T09:00:00.000Z',
    details: { before: { status: 'open' }, after: { status: 'closed' } },
    ...over,
  } as AuditEntry;
}

const four = (over?: Partial<AuditEntry>) => [entry(over), entry(over), entry(over), entry(over)];
const countsOf = (entries: AuditEntry[]) => foldRuns(entries).map(({ others }) => others.length);

it('joins four and more entries that say the same of different records', () => {
  const entries = [...four(), entry()];
  expect(foldRuns(entries)).toEqual([{ entry: entries[0], others: entries.slice(1) }]);
});

it('keeps fewer, and those that something else is between, one by one', () => {
  expect(countsOf(four().slice(1))).toEqual([0, 0, 0]);
  const [one, two, three, last] = four() as [AuditEntry, AuditEntry, AuditEntry, AuditEntry];
  expect(countsOf([one, two, entry({ action: 'domain.update', resource: 'domain:x' }), three, last])).toEqual([
    0, 0, 0, 0, 0,
  ]);
});

it('never joins what failed or was refused, or is of another admin, key, address or change', () => {
  expect(countsOf(four({ outcome: 'denied' }))).toEqual([0, 0, 0, 0]);
  expect(countsOf(four({ outcome: 'error' }))).toEqual([0, 0, 0, 0]);
  const changes: Partial<AuditEntry>[] = [
    { admin_email: 'elif@here.example' },
    { api_key_id: 'key', api_key_name: 'Shop' },
    { ip_address: '192.0.2.8' },
    { details: { before: { status: 'open' }, after: { status: 'acknowledged' } } },
  ];
  for (const change of changes) expect(countsOf([...four(), ...four(change)])).toEqual([3, 3]);
});

it('keeps entries of other days apart, which have another head', () => {
  expect(countsOf([...four(), ...four({ created_at: '2026-11-27T09:00:00.000Z' })])).toEqual([3, 3]);
});

const send = (over: Partial<AuditEntry> = {}) =>
  entry({ action: 'message.send', resource: `message:${made}`, details: { after: {} }, ...over });

it('joins sends of anyone between changes, and never failed ones', () => {
  const entries = [
    send(),
    send({ admin_email: 'elif@here.example', ip_address: '192.0.2.8' }),
    send({ action: 'message.send_batch', details: { total: 40 } }),
    entry(),
    send(),
    send({ outcome: 'error' }),
    send(),
  ];
  const runs = foldRuns(entries, { joinsSends: true });
  expect(runs.map(({ others }) => others.length)).toEqual([2, 0, 0, 0, 0]);
  expect(sendersOf(runs[0] as (typeof runs)[0])).toEqual({
    actors: ['dana@here.example', 'elif@here.example'],
    via: '',
    messages: 42,
  });
  expect(countsOf(entries)).toEqual([0, 0, 0, 0, 0, 0, 0]);
});

it('names the API key of sends that all used it', () => {
  const shop = { api_key_id: 'key', api_key_name: 'Shop' };
  const [run] = foldRuns([send(shop), send(shop)], { joinsSends: true });
  expect(run && sendersOf(run).via).toBe('(API key “Shop”)');
});
