import { describe, expect, it } from 'vitest';
import { Alert } from '@/modules/alerts/schema';
import type { Attention, AttentionItem, Overview } from '../schema';
import { type AttentionRow, countObjects, rowsShownFirst } from './attention-row';
import { attentionRows } from './attention-rows';

const ITEM = { id: 'one', subject: 'acme.example', reason: '', record_status: null, at: null } as const;
const OVERVIEW = {
  mta: 'off',
  totals: { sent: 200, bounced: 9, failed: 2, uncertain: 1 },
  previous: { bounced: 3 },
  checklist: { has_sent: true },
  since: '2026-11-27T19:00:00.000Z',
  until: '2026-11-28T19:00:00.000Z',
  troubled_senders: [],
  failures: [],
  series: [],
} as unknown as Overview;

it('lists what keeps all mail from being sent first, and warnings after what is severe', () => {
  const items: AttentionItem[] = [
    { ...ITEM, section: 'mailboxes', kind: 'mailbox_full', severity: 'warning' },
    { ...ITEM, section: 'webhooks', kind: 'webhook_failing', severity: 'critical' },
  ];
  const attention = {
    items,
    counts: { mailboxes: 3, webhooks: 1 },
    critical_counts: {},
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
    'Unconfirmed Messages',
  ]);
});

it('lists rows by their mark, and those of a kind together, the newest first', () => {
  const at = (hour: number) => `2026-11-28T${hour}:00:00.000Z`;
  const items: AttentionItem[] = [
    { ...ITEM, section: 'domains', kind: 'dns_broken', severity: 'critical', record_status: 'mismatch', at: at(18) },
    {
      ...ITEM,
      section: 'mailboxes',
      kind: 'mailbox_suspended',
      severity: 'warning',
      subject: 'by an admin',
      at: at(17),
    },
    { ...ITEM, section: 'mailboxes', kind: 'mailbox_suspended', severity: 'critical', subject: 'earlier', at: at(10) },
    { ...ITEM, section: 'webhooks', kind: 'webhook_failing', severity: 'critical', subject: 'between', at: at(11) },
    { ...ITEM, section: 'mailboxes', kind: 'mailbox_suspended', severity: 'critical', subject: 'later', at: at(12) },
    { ...ITEM, section: 'alerts', kind: 'volume_spike', severity: 'warning', at: at(18) },
    { ...ITEM, section: 'alerts', kind: 'rate_limited', severity: 'warning', at: at(19) },
  ];
  const attention = {
    items,
    counts: {},
    critical_counts: {},
    open_alerts: 2,
    notifies_nobody: true,
    suspended_mailboxes: 2,
  };
  const rows = attentionRows(
    { ...OVERVIEW, mta: 'smtp', totals: { ...OVERVIEW.totals, failed: 0, uncertain: 0 } },
    attention as Attention,
    null,
  );
  expect(rows.map(({ status, label, subject }) => `${status} ${label} ${subject}`)).toEqual([
    'failed Suspended later',
    'failed Suspended earlier',
    'failed Failing between',
    'bounced Over limit acme.example',
    'bounced Mismatch acme.example',
    'warning Spike acme.example',
    'warning Suspended by an admin',
  ]);
});

it('names in the last row of a kind how many others there are', () => {
  const mailbox = { ...ITEM, section: 'mailboxes' } as const;
  const items: AttentionItem[] = [
    { ...mailbox, id: 'a', kind: 'mailbox_suspended', severity: 'critical', at: '2026-11-28T10:00:00.000Z' },
    { ...mailbox, id: 'b', kind: 'mailbox_full', severity: 'critical' },
    { ...mailbox, id: 'c', kind: 'mailbox_suspended', severity: 'warning' },
    { ...ITEM, section: 'webhooks', kind: 'webhook_failing', severity: 'critical' },
  ];
  const attention = (suspended: number) =>
    ({
      items,
      counts: { mailboxes: 16, webhooks: 3 },
      critical_counts: { mailboxes: 2, webhooks: 2 },
      suspended_mailboxes: suspended,
    }) as unknown as Attention;
  const overview = { ...OVERVIEW, mta: 'smtp', totals: { ...OVERVIEW.totals, failed: 0, uncertain: 0 } } as Overview;
  expect(countObjects(attentionRows(overview, attention(3), 'd1'))).toEqual({ problems: 4, warnings: 15 });
  const more = (suspended: number) =>
    attentionRows(overview, attention(suspended), 'd1').flatMap(({ label, more = [] }) =>
      more.map(({ text, href }) => `${label}: ${text} ${href}`),
    );
  expect(more(3)).toEqual([
    'Full: 12 more nearly full /mailboxes?domain=d1&show=full',
    'Failing: 2 more in Webhooks /webhooks',
    'Suspended: 1 more suspended /mailboxes?domain=d1&show=suspended',
  ]);
  expect(more(2)).toEqual([
    'Full: 13 more nearly full /mailboxes?domain=d1&show=full',
    'Failing: 2 more in Webhooks /webhooks',
  ]);
});

it('shows eight rows first and all problems, unless only two are left, and counts what they all stand for', () => {
  const rows = (count: number, status = 'warning') =>
    Array.from(
      { length: count },
      () => ({ status, more: [{ count: 2, problems: 1, text: '', href: '' }] }) as unknown as AttentionRow,
    );
  expect(rowsShownFirst(rows(10))).toHaveLength(10);
  expect(rowsShownFirst(rows(11))).toHaveLength(8);
  expect(rowsShownFirst([...rows(9, 'failed'), ...rows(3)])).toHaveLength(9);
  expect(countObjects(rows(11))).toEqual({ problems: 11, warnings: 22 });
});

it('has a status for each kind that fits its column', () => {
  const kinds: AttentionItem['kind'][] = [...Alert.shape.kind.options, 'mailbox_full', 'key_expiring', 'files_differ'];
  const items = kinds.flatMap((kind) =>
    (['warning', 'critical'] as const).map(
      (severity): AttentionItem => ({ ...ITEM, id: `${kind} ${severity}`, section: 'alerts', kind, severity }),
    ),
  );
  const rows = attentionRows(OVERVIEW, { items, counts: {}, suspended_mailboxes: 0 } as unknown as Attention, null);
  expect(rows.map(({ label }) => label).filter((label) => label.length > 12)).toEqual([]);
});

describe('an incident', () => {
  const mailbox: AttentionItem = {
    ...ITEM,
    ...{
      id: 'box',
      section: 'mailboxes',
      kind: 'mailbox_suspended',
      severity: 'critical',
      subject: 'info@acme.example',
    },
    reason: 'Tried to send more than 200 messages in an hour.',
    at: '2026-11-28T10:00:00.000Z',
  };
  const spike: AttentionItem = {
    ...ITEM,
    section: 'alerts',
    kind: 'volume_spike',
    severity: 'warning',
    at: mailbox.at,
  };
  const later = { ...spike, at: '2026-11-28T18:00:00.000Z' };
  const attention = (items: AttentionItem[]) =>
    ({
      items,
      counts: {},
      critical_counts: {},
      open_alerts: 2,
      notifies_nobody: false,
      suspended_mailboxes: 1,
    }) as Attention;
  const overview = {
    ...OVERVIEW,
    mta: 'smtp',
    totals: { ...OVERVIEW.totals, sent: 400, bounced: 130, failed: 35, uncertain: 0 },
    troubled_senders: [{ sender: 'info@acme.example', bounced: 128, failed: 34, deferred: 9 }],
    failures: [
      { sender: 'info@acme.example', cause: 'deleted', count: 34 },
      { sender: null, cause: 'rejected', count: 1 },
    ],
  } as unknown as Overview;

  it('is one row with its figures, which leads to what checks for misuse', () => {
    const rows = attentionRows(overview, attention([mailbox, spike]), null);
    expect(rows).toMatchObject([
      {
        subject: 'info@acme.example',
        reason: 'Tried to send more than 200 messages in an hour. 128 bounced, 34 failed, 9 in the queue.',
        href: '/mailboxes/box/misuse',
        action: 'Check for misuse',
        at: mailbox.at,
      },
      { subject: '1 message not sent', reason: 'Rejected by your mail server. 34 more from a suspended mailbox.' },
    ]);
  });

  it('explains no spike of another time or of another domain, and no bounces of others', () => {
    const others = [later, { ...spike, subject: 'other.example' }];
    const totals = { ...overview.totals, bounced: 160 };
    const rows = attentionRows(
      { ...overview, totals, previous: { bounced: 3 } } as Overview,
      attention([mailbox, ...others]),
      null,
    );
    expect(rows.map(({ label, subject }) => `${label} ${subject}`)).toEqual([
      'Suspended info@acme.example',
      'Failed 1 message not sent',
      'Bounced 32 messages bounced',
      'Spike acme.example',
      'Spike other.example',
    ]);
  });
});

it('says why messages failed, with counts if there are several reasons', () => {
  const nothing = {
    items: [],
    counts: {},
    critical_counts: {},
    open_alerts: 0,
    notifies_nobody: false,
    suspended_mailboxes: 0,
  };
  const reasonOf = (failures: Overview['failures']) =>
    attentionRows({ ...OVERVIEW, mta: 'smtp', failures }, nothing as Attention, null)[0]?.reason;
  expect(reasonOf([{ sender: null, cause: 'expired', count: 2 }])).toBe('Expired in the queue.');
  expect(
    reasonOf([
      { sender: 'a@acme.example', cause: 'deleted', count: 1 },
      { sender: null, cause: 'expired', count: 3 },
      { sender: null, cause: 'deleted', count: 1 },
    ]),
  ).toBe('3 expired in the queue, 2 deleted from the queue.');
});

it('lists bounces once they are at least ten and 5% of what was sent', () => {
  const nothing = {
    items: [],
    counts: {},
    critical_counts: {},
    open_alerts: 0,
    notifies_nobody: false,
    suspended_mailboxes: 0,
  };
  const row = (sent: number, bounced: number) => {
    const overview = { ...OVERVIEW, mta: 'smtp', totals: { ...OVERVIEW.totals, sent, bounced } } as Overview;
    return attentionRows(overview, nothing as Attention, null).find(({ key }) => key === 'bounced');
  };
  expect(row(200, 10)).toMatchObject({ subject: '10 messages bounced', reason: '5.0% of sent, 3 the day before.' });
  const troubled_senders = [{ sender: 'news@acme.example', bounced: 8, failed: 2, deferred: 0 }];
  const totals = { ...OVERVIEW.totals, bounced: 10 };
  const rows = attentionRows({ ...OVERVIEW, mta: 'smtp', totals, troubled_senders }, nothing as Attention, null);
  expect(rows.find(({ key }) => key === 'bounced')).toMatchObject({
    reason: '5.0% of sent, 3 the day before. 8 from news@acme.example.',
  });
  expect(row(201, 10)).toBeUndefined();
});
