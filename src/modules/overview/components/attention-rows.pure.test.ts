import { expect, it } from 'vitest';
import type { Attention, AttentionItem, Overview } from '../schema';
import { attentionRows } from './attention-rows';

const ITEM = { id: 'one', subject: 'acme.example', reason: '', record_status: null } as const;
const OVERVIEW = {
  mta: 'off',
  totals: { sent: 200, bounced: 9, failed: 2, uncertain: 1 },
  previous: { bounced: 3 },
  checklist: { has_sent: true },
  since: '2026-11-27T19:00:00.000Z',
  until: '2026-11-28T19:00:00.000Z',
} as Overview;

it('lists what keeps all mail from being sent first, and warnings after what is severe', () => {
  const items: AttentionItem[] = [
    { ...ITEM, section: 'mailboxes', kind: 'mailbox_full', severity: 'warning' },
    { ...ITEM, section: 'webhooks', kind: 'webhook_failing', severity: 'critical' },
  ];
  const attention = {
    items,
    counts: { mailboxes: 3, webhooks: 1 },
    open_alerts: 0,
    notifies_nobody: false,
    suspended_mailboxes: 0,
  };
  const rows = attentionRows(OVERVIEW, attention as Attention, null);
  expect(rows.map(({ label, object }) => `${label} ${object}`)).toEqual([
    'Disabled Sending',
    'Failed Messages',
    'Failing Webhook',
    'Nearly full Mailbox',
    'Nearly full Mailboxes',
    'Unconfirmed Messages',
  ]);
});

it('lists rows with the same mark together, and what is known to an admin with the warnings', () => {
  const items: AttentionItem[] = [
    { ...ITEM, section: 'domains', kind: 'dns_broken', severity: 'critical', record_status: 'mismatch' },
    { ...ITEM, section: 'mailboxes', kind: 'mailbox_suspended', severity: 'warning', subject: 'by an admin' },
    { ...ITEM, section: 'mailboxes', kind: 'mailbox_suspended', severity: 'critical', subject: 'over its limit' },
    { ...ITEM, section: 'mailboxes', kind: 'mailbox_full', severity: 'critical' },
    { ...ITEM, section: 'alerts', kind: 'volume_spike', severity: 'warning' },
    { ...ITEM, section: 'alerts', kind: 'rate_limited', severity: 'warning' },
  ];
  const attention = { items, counts: {}, open_alerts: 2, notifies_nobody: true, suspended_mailboxes: 2 };
  const rows = attentionRows(
    { ...OVERVIEW, mta: 'smtp', totals: { ...OVERVIEW.totals, failed: 0, uncertain: 0 } },
    attention as Attention,
    null,
  );
  expect(rows.map(({ status, label, subject }) => `${status} ${label} ${subject}`)).toEqual([
    'failed Suspended over its limit',
    'failed Full acme.example',
    'bounced Mismatch acme.example',
    'bounced Over limit acme.example',
    'warning Not notified Nobody is notified',
    'warning Suspended by an admin',
    'warning Spike acme.example',
  ]);
});

it('lists bounces first once they are at least ten and 5% of what was sent', () => {
  const nothing = { items: [], counts: {}, open_alerts: 0, notifies_nobody: false, suspended_mailboxes: 0 };
  const first = (sent: number, bounced: number) => {
    const overview = { ...OVERVIEW, mta: 'smtp', totals: { ...OVERVIEW.totals, sent, bounced } } as Overview;
    return attentionRows(overview, nothing as Attention, null)[0];
  };
  expect(first(200, 10)).toMatchObject({ subject: '10 messages bounced', reason: '5.0% of sent, 3 the day before.' });
  const most_bounced = { sender: 'news@acme.example', bounced: 8 };
  const joined = { ...OVERVIEW, mta: 'smtp', totals: { ...OVERVIEW.totals, bounced: 10 }, most_bounced } as Overview;
  expect(attentionRows(joined, nothing as Attention, null)[0]).toMatchObject({
    reason: '5.0% of sent, 3 the day before. 8 from news@acme.example.',
  });
  expect(first(201, 10)).toMatchObject({ label: 'Failed' });
});
