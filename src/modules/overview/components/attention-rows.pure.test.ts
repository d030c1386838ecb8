import { expect, it } from 'vitest';
import type { Attention, AttentionItem, Overview } from '../schema';
import { attentionRows } from './attention-rows';

const ITEM = { id: 'one', subject: 'acme.example', reason: '', record_status: null } as const;
const OVERVIEW = {
  mta: 'off',
  totals: { failed: 2, uncertain: 1 },
  checklist: { has_sent: true },
  since: '2026-11-27T19:00:00.000Z',
  until: '2026-11-28T19:00:00.000Z',
} as Overview;

it('lists what keeps all mail from being sent first, and warnings after what is severe', () => {
  const items: AttentionItem[] = [
    { ...ITEM, section: 'mailboxes', kind: 'mailbox_full', severity: 'warning' },
    { ...ITEM, section: 'webhooks', kind: 'webhook_failing', severity: 'critical' },
  ];
  const attention = { items, counts: { mailboxes: 3, webhooks: 1 }, open_alerts: 0, suspended_mailboxes: 0 };
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
