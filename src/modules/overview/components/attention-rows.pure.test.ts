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
  const { rows, total } = attentionRows(OVERVIEW, attention as Attention, null);
  expect(rows.map(({ label, object }) => `${label} ${object}`)).toEqual([
    'Disabled Sending',
    'Failed Messages',
    'Failing Webhook',
    'Nearly full Mailbox',
    'Nearly full Mailboxes',
    'Unconfirmed Messages',
  ]);
  expect(total).toBe(7);
});

it('lists bounces first once they are at least ten and 5% of what was sent', () => {
  const nothing = { items: [], counts: {}, open_alerts: 0, notifies_nobody: false, suspended_mailboxes: 0 };
  const first = (sent: number, bounced: number) => {
    const overview = { ...OVERVIEW, mta: 'smtp', totals: { ...OVERVIEW.totals, sent, bounced } } as Overview;
    return attentionRows(overview, nothing as Attention, null).rows[0];
  };
  expect(first(200, 10)).toMatchObject({ subject: '10 messages bounced', reason: '5.0% of sent, 3 the day before.' });
  expect(first(201, 10)).toMatchObject({ label: 'Failed' });
  expect(first(20, 9)).toMatchObject({ label: 'Failed' });
});

it('says that nobody is notified only while alerts are open', () => {
  const silent = { items: [], counts: {}, notifies_nobody: true, suspended_mailboxes: 0 };
  const subjects = (open_alerts: number) =>
    attentionRows(OVERVIEW, { ...silent, open_alerts } as Attention, null).rows.map(({ subject }) => subject);
  expect(subjects(1)).toContain('Nobody is notified');
  expect(subjects(0)).not.toContain('Nobody is notified');
});
