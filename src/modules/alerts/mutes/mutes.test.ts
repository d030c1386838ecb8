import { beforeEach, describe, expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeDomain } from '@/test/factories';
import { keyClient } from '@/test/rest';
import { runTask, sharedTask } from '@/test/tasks';
import { openAlerts, resolveAlert } from '../service';
import { alertTasks } from '../tasks';

const HOUR_MS = 3_600_000;

const api = await keyClient({ role: 'super_admin' });
const task = sharedTask(alertTasks, 'notifying of alerts that are no longer muted');
let domain: { id: string; name: string };

beforeEach(async () => {
  await db.alertMute.deleteMany();
  await db.alert.deleteMany();
  await db.event.deleteMany();
  await db.scheduledTask.deleteMany();
  domain = await makeDomain();
});

const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString();
const mute = async (body: object) => (await api.post('/alert-mutes', body)).data;
const unmute = (id: string) => api.delete(`/alert-mutes/${id}`);
const open = (kind: 'dns_broken' | 'rate_limited' | 'system_down' = 'dns_broken', subject = domain.name) => {
  const domainId = kind === 'system_down' ? null : domain.id;
  return openAlerts(db, [{ kind, subject, domainId, count: 1, expected: 0 }], new Date());
};
const close = () => resolveAlert(db, { kind: 'dns_broken', subject: domain.name }, new Date());
const alerts = async () => (await api.get('/abuse/alerts?order=asc')).data;
/** What notified, by both ways. */
async function notified() {
  const events = await db.event.findMany({ where: { type: 'system.alert' }, orderBy: { sequence: 'asc' } });
  const emails = await db.alertEmail.findMany({ orderBy: { createdAt: 'asc' } });
  return [events.length, emails.map(({ change }) => change)];
}
/** As if the mute had ended. */
const pass = (id: string) =>
  db.alertMute.update({ where: { id }, data: { endsAt: new Date(Date.now() - 1_000) }, select: { id: true } });

describe('a muted alert', () => {
  it('is recorded and notifies nobody, neither when it opens nor when it closes', async () => {
    await mute({ domain_id: domain.id });
    await open();
    expect(await alerts()).toMatchObject([{ status: 'open', muted: true, notified_at: null }]);
    await close();
    expect(await alerts()).toMatchObject([{ status: 'closed', resolved: true, notified_at: null }]);
    expect(await notified()).toEqual([0, []]);
  });

  it.each(['ends', 'is deleted'])('notifies once if it is still open when its mute %s', async (how) => {
    const { id } = await mute({ kind: 'dns_broken', ends_at: inHours(1) });
    await open();
    await runTask(db, task);
    expect(await notified()).toEqual([0, []]);
    await (how === 'ends' ? pass(id) : unmute(id));
    await runTask(db, task);
    await runTask(db, task);
    expect(await notified()).toEqual([1, ['opened']]);
    expect(await alerts()).toMatchObject([{ muted: false, notified_at: expect.any(String) }]);
    await close();
    expect(await notified()).toEqual([2, ['opened', 'closed']]);
  });

  it.each(['acknowledged', 'closed'])('that was %s meanwhile notifies nobody later', async (status) => {
    const { id } = await mute({ kind: 'dns_broken' });
    await open();
    const [alert] = await alerts();
    await api.patch(`/abuse/alerts/${alert.id}`, { status });
    await unmute(id);
    await runTask(db, task);
    expect(await notified()).toEqual([0, []]);
  });

  it('that notified before it was muted notifies nobody when it closes', async () => {
    await open();
    await db.alertEmail.updateMany({ data: { sentAt: new Date() } });
    await mute({ subject: domain.name });
    await close();
    expect(await notified()).toEqual([1, ['opened']]);
  });

  it('notifies nobody while another mute applies to it', async () => {
    const { id } = await mute({ kind: 'dns_broken' });
    const other = await mute({ domain_id: domain.id });
    await open();
    await unmute(id);
    expect(await notified()).toEqual([0, []]);
    await unmute(other.id);
    expect(await notified()).toEqual([1, ['opened']]);
  });

  it('whose email was waiting has none until the mute ends', async () => {
    await open();
    expect(await notified()).toEqual([1, ['opened']]);
    const { id } = await mute({ severity: 'critical' });
    expect((await notified())[1]).toEqual([]);
    await unmute(id);
    expect((await notified())[1]).toEqual(['opened']);
  });
});

it.each<[object | (() => object), string[]]>([
  [{ kind: 'rate_limited' }, ['rate_limited']],
  [{ severity: 'critical' }, ['dns_broken', 'system_down']],
  [() => ({ domain_id: domain.id }), ['dns_broken', 'rate_limited']],
  [() => ({ domain_id: domain.id, severity: 'warning' }), ['rate_limited']],
  [() => ({ kind: 'dns_broken', subject: domain.name }), ['dns_broken']],
  [{ kind: 'dns_broken', subject: 'other.example' }, []],
  [{ ends_at: '2200-01-01T00:00:00Z' }, ['dns_broken', 'rate_limited', 'system_down']],
])('a mute applies to alerts that match all it names: %j', async (scope, kinds) => {
  await mute(typeof scope === 'function' ? scope() : scope);
  await open('dns_broken');
  await open('rate_limited', `ann@${domain.name}`);
  await open('system_down', 'SMTP');
  const muted = (await alerts()).filter((alert: { muted: boolean }) => alert.muted);
  expect(muted.map(({ kind }: { kind: string }) => kind).toSorted()).toEqual(kinds);
  expect(await db.event.count()).toBe(3 - kinds.length);
});

describe('a mute', () => {
  it('says who muted what until when and why, and replaces one of the same alerts', async () => {
    const until = inHours(2);
    const first = await mute({ kind: 'dns_broken', domain_id: domain.id, reason: 'Moving', ends_at: inHours(1) });
    const second = await mute({ kind: 'dns_broken', domain_id: domain.id, reason: 'Still moving', ends_at: until });
    expect(second.id).toBe(first.id);
    const { data } = await api.get('/alert-mutes');
    const by = { id: api.admin.id, email: api.admin.email };
    expect(data).toMatchObject([
      { ...second, domain: domain.name, subject: null, severity: null, ends_at: until, created_by: by },
    ]);
    const { data: entries } = await api.get(`/audit?resource=alert_mute:${first.id}&order=asc`);
    expect(entries).toMatchObject([
      { action: 'alert_mute.create', domain_id: domain.id, details: { before: null } },
      { action: 'alert_mute.create', details: { before: { reason: 'Moving' }, after: { reason: 'Still moving' } } },
    ]);
  });

  it('that has ended is not listed, and can be made again', async () => {
    const { id } = await mute({ kind: 'dns_broken', ends_at: inHours(1) });
    await pass(id);
    expect((await api.get('/alert-mutes')).data).toEqual([]);
    await mute({ kind: 'dns_broken' });
    expect((await api.get('/alert-mutes')).data).toMatchObject([{ kind: 'dns_broken', ends_at: null }]);
  });

  it.each([
    [{}, 'ends_at'],
    [{ kind: 'dns_broken', ends_at: '2020-01-01T00:00:00Z' }, 'ends_at'],
    [{ kind: 'unknown' }, 'kind'],
    [{ subject: '' }, 'subject'],
  ])('of everything without an end, or with an end in the past, is rejected: %j', async (body, path) => {
    const { status, error } = await api.post('/alert-mutes', body);
    expect({ status, paths: error.details.fields?.map((field: { path: string }) => field.path) }).toEqual({
      status: 400,
      paths: [path],
    });
  });

  it('ends with its domain, and is restored with it', async () => {
    const { id } = await mute({ domain_id: domain.id });
    await api.delete(`/domains/${domain.id}`);
    expect((await api.get('/alert-mutes')).data).toEqual([]);
    await api.post(`/deleted-records/${domain.id}/restore`);
    expect((await api.get('/alert-mutes')).data).toMatchObject([{ id }]);
  });
});
