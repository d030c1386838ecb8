import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { applySaved } from '@/server/settings/env';
import { ALERT_KINDS as SETTING_KINDS } from '@/server/settings/formats.mjs';
import { db } from '@/test/database';
import { makeDomain, makeMailbox } from '@/test/factories';
import { keyClient } from '@/test/rest';
import { AlertKind } from './schema';
import { type NewAlert, openAlerts, resolveAlert, updateOpenAlert } from './service';

const api = await keyClient({ role: 'super_admin' });
const DAY_MS = 86_400_000;
const now = new Date();
let domain: { id: string; name: string };

beforeEach(async () => {
  domain = await makeDomain();
});

const about = (kind: NewAlert['kind']): NewAlert => ({
  kind,
  subject: `ann@${domain.name}`,
  domainId: domain.id,
  count: 3,
  expected: 2,
});
const alerts = async () => (await api.get(`/abuse/alerts?domain_id=${domain.id}`)).data;

describe('an alert about a lasting state', () => {
  it('is opened once until it is closed, also by concurrent calls', async () => {
    const open = () => openAlerts(db, [about('webhook_failing')], now);
    await Promise.all([open(), open(), open()]);
    await openAlerts(db, [about('webhook_failing')], new Date(now.getTime() + 2 * DAY_MS));
    expect(await alerts()).toMatchObject([{ kind: 'webhook_failing', severity: 'critical', status: 'open' }]);
  });

  it('has the numbers of the state as it is now, also while acknowledged, and keeps its last ones', async () => {
    const alert = about('webhook_failing');
    await openAlerts(db, [{ ...alert, count: 30 }], now);
    await openAlerts(db, [{ ...alert, count: 31 }], now);
    const [{ id }] = await alerts();
    await api.patch(`/abuse/alerts/${id}`, { status: 'acknowledged' });
    await openAlerts(db, [{ ...alert, count: 1206 }], now);
    const message = expect.stringContaining('failed 1,206 times in a row');
    expect(await alerts()).toMatchObject([{ id, status: 'acknowledged', count: 1206, message }]);
    await resolveAlert(db, alert, now);
    await updateOpenAlert(db, { ...alert, count: 1 });
    expect(await alerts()).toMatchObject([{ id, status: 'closed', count: 1206 }]);
  });

  it('closes by itself when the state ends, even if it was acknowledged, and opens again the next time', async () => {
    const alert = about('webhook_failing');
    await openAlerts(db, [alert], now);
    const [{ id }] = await alerts();
    await api.patch(`/abuse/alerts/${id}`, { status: 'acknowledged' });
    await resolveAlert(db, alert, now);
    expect(await alerts()).toMatchObject([{ id, status: 'closed', resolved: true, closed_at: now.toISOString() }]);
    await openAlerts(db, [alert], new Date(now.getTime() + 1_000));
    expect(await alerts()).toMatchObject([
      { status: 'open', resolved: false, closed_at: null },
      { id, status: 'closed' },
    ]);
  });

  it('cannot be reopened while a newer one about the same subject is open', async () => {
    const alert = about('webhook_failing');
    await openAlerts(db, [alert], now);
    const [{ id }] = await alerts();
    await resolveAlert(db, alert, now);
    await openAlerts(db, [alert], new Date(now.getTime() + 1_000));
    const reopened = await api.patch(`/abuse/alerts/${id}`, { status: 'open' });
    expect(reopened).toMatchObject({ status: 409, error: { code: 'CONFLICT' } });
  });
});

describe('an alert about an event', () => {
  it('keeps the numbers of the event', async () => {
    await openAlerts(db, [about('rate_limited')], now);
    await openAlerts(db, [{ ...about('rate_limited'), count: 99 }], now);
    expect(await alerts()).toMatchObject([{ count: 3 }]);
  });

  it('is opened once per subject and day', async () => {
    await openAlerts(db, [about('volume_spike')], now);
    await openAlerts(db, [about('volume_spike')], now);
    await openAlerts(db, [about('volume_spike')], new Date(now.getTime() + DAY_MS));
    expect(await alerts()).toMatchObject([{ severity: 'warning' }, { severity: 'warning' }]);
  });
});

it('keeps when it was acknowledged and closed, and forgets both when it is reopened', async () => {
  await openAlerts(db, [about('rate_limited')], now);
  const [{ id }] = await alerts();
  const set = async (status: string) => (await api.patch(`/abuse/alerts/${id}`, { status })).data;
  const acknowledged = await set('acknowledged');
  expect(acknowledged.acknowledged_at).not.toBeNull();
  const closed = await set('closed');
  expect(closed).toMatchObject({ acknowledged_at: acknowledged.acknowledged_at, resolved: false });
  expect(closed.closed_at).not.toBeNull();
  expect(await set('open')).toMatchObject({ acknowledged_at: null, closed_at: null });
});

it('names the admin who changed it last, and nobody while no admin has', async () => {
  await openAlerts(db, [about('rate_limited')], now);
  const [{ id, changed_by: nobody }] = await alerts();
  expect(nobody).toBeNull();
  const other = await keyClient({ role: 'admin' });
  await api.patch(`/abuse/alerts/${id}`, { status: 'acknowledged' });
  const by = { id: other.admin.id, email: other.admin.email };
  expect((await other.patch(`/abuse/alerts/${id}`, { status: 'closed' })).data.changed_by).toEqual(by);
  expect(await alerts()).toMatchObject([{ id, changed_by: by }]);
});

it('of a suspended mailbox closes when the mailbox is unsuspended, or deleted', async () => {
  for (const end of ['unsuspend', 'delete'] as const) {
    const { id } = await makeMailbox(domain.id, `box-${end}`, { suspendedAt: new Date() });
    const email = `box-${end}@${domain.name}`;
    await openAlerts(db, [{ ...about('mailbox_suspended'), subject: email, mailboxId: id }], now);
    if (end === 'delete') await api.delete(`/mailboxes/${id}`);
    else await api.post(`/mailboxes/${id}/unsuspend`, {});
    expect((await alerts())[0]).toMatchObject({ subject: email, status: 'closed', resolved: true });
  }
});

it('alerts are listed by kind, severity and status, in either order', async () => {
  await openAlerts(db, [about('webhook_failing')], now);
  await openAlerts(db, [about('rate_limited')], new Date(now.getTime() + 1_000));
  await openAlerts(db, [about('volume_spike')], new Date(now.getTime() + 2_000));
  const kinds = async (query: string) => {
    const { data } = await api.get(`/abuse/alerts?domain_id=${domain.id}&${query}`);
    return data.map(({ kind }: { kind: string }) => kind);
  };
  expect(await kinds('severity=critical')).toEqual(['webhook_failing']);
  expect(await kinds('severity=warning')).toEqual(['volume_spike', 'rate_limited']);
  expect(await kinds('kind=rate_limited&severity=warning&status=open')).toEqual(['rate_limited']);
  expect(await kinds('kind=rate_limited&severity=critical')).toEqual([]);
  expect(await kinds('order=asc')).toEqual(['webhook_failing', 'rate_limited', 'volume_spike']);
  const second = new Date(now.getTime() + 1_000).toISOString();
  for (const sort of ['severity', 'created_at']) {
    expect(await kinds(`sort=${sort}&since=${second}`)).toEqual(['volume_spike', 'rate_limited']);
    expect(await kinds(`sort=${sort}&until=${second}`)).toEqual(['webhook_failing']);
  }
});

it('settings name the kinds that there are', () => {
  expect(SETTING_KINDS).toEqual(AlertKind.options);
});

describe('events for webhooks', () => {
  afterEach(() => applySaved({}));

  const eventsOf = async () => {
    await openAlerts(db, [about('mailbox_suspended'), about('dns_broken'), about('rate_limited')], now);
    const events = await db.event.findMany({ where: { domainId: domain.id, type: 'system.alert' } });
    return events.map(({ body }) => JSON.parse(body ?? '{}').data.kind).sort();
  };

  it('are about all alerts, unless settings leave some out', async () => {
    expect(await eventsOf()).toEqual(['dns_broken', 'mailbox_suspended', 'rate_limited']);
  });

  it('leave out warnings with ALERT_WEBHOOK_SEVERITY=critical', async () => {
    applySaved({ ALERT_WEBHOOK_SEVERITY: 'critical' });
    expect(await eventsOf()).toEqual(['dns_broken', 'mailbox_suspended']);
  });

  it('are about the kinds of ALERT_WEBHOOK_KINDS only, opened and closed', async () => {
    applySaved({ ALERT_WEBHOOK_KINDS: 'mailbox_suspended, rate_limited' });
    expect(await eventsOf()).toEqual(['mailbox_suspended', 'rate_limited']);
    await resolveAlert(db, about('dns_broken'), now);
    await resolveAlert(db, about('mailbox_suspended'), now);
    expect(await db.event.count({ where: { domainId: domain.id, type: 'system.alert' } })).toBe(3);
  });

  it('are about the domains of ALERT_WEBHOOK_DOMAINS, and about no domain, opened and closed', async () => {
    const other = await makeDomain();
    const system = { ...about('content_store'), subject: `store of ${domain.name}`, domainId: null };
    const before = await db.event.count({ where: { domainId: null, type: 'system.alert' } });
    applySaved({ ALERT_WEBHOOK_DOMAINS: `${other.name},${domain.name.toUpperCase()}` });
    expect(await eventsOf()).toEqual(['dns_broken', 'mailbox_suspended', 'rate_limited']);
    applySaved({ ALERT_WEBHOOK_DOMAINS: other.name });
    await resolveAlert(db, about('dns_broken'), now);
    await openAlerts(db, [system], now);
    expect(await db.event.count({ where: { domainId: domain.id, type: 'system.alert' } })).toBe(3);
    expect(await db.event.count({ where: { domainId: null, type: 'system.alert' } })).toBe(before + 1);
  });

  it.each(['everything', 'webhook_failing'])('are never about the kind %s', async (kind) => {
    const values = { ALERT_WEBHOOK_KINDS: ['mailbox_suspended', kind] };
    expect((await api.patch('/config', { values })).error?.code).toBe('VALIDATION_ERROR');
  });
});
