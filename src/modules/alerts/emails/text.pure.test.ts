import { describe, expect, it } from 'vitest';
import { ALERT_KINDS } from '../service';
import type { AlertNews } from './outbox';
import { alertMail } from './text';

const AT = new Date('2026-11-22T19:40:12Z');
const URL = 'https://mail.example.com';

const alert = (over: Partial<AlertNews> = {}): AlertNews => ({
  id: '01a1f000-0000-7000-8000-000000000000',
  kind: 'system_down',
  severity: 'critical',
  status: 'open',
  subject: 'SMTP (mx1.example.com)',
  domainId: null,
  mailboxId: null,
  count: 3,
  expected: 2,
  text: 'connect ECONNREFUSED. Restart Postfix and read its log.',
  day: null,
  createdAt: AT,
  updatedAt: AT,
  acknowledgedAt: null,
  closedAt: null,
  isResolved: false,
  notifiedAt: AT,
  changes: ['opened'],
  ...over,
});

describe('the email about an alert', () => {
  it('names what is wrong, since when, what to do, and links to the page', () => {
    expect(alertMail([alert()], URL)).toEqual({
      subject: '[Postroom] Critical: SMTP (mx1.example.com) is down',
      text: `CRITICAL: SMTP (mx1.example.com) is down
SMTP (mx1.example.com) is down. connect ECONNREFUSED. Restart Postfix and read its log.
Since 2026-11-22 19:40 UTC
https://mail.example.com/system/health

All alerts: https://mail.example.com/alerts
You get this email because your address is in ALERT_EMAILS.
`,
    });
  });

  it('that closed has how long it lasted', () => {
    const closedAt = new Date('2026-11-22T22:40:00Z');
    const { subject, text } = alertMail([alert({ status: 'closed', closedAt, isResolved: true })], URL);
    expect(subject).toBe('[Postroom] Resolved: SMTP (mx1.example.com) is down');
    expect(text).toContain('From 2026-11-22 19:40 UTC to 2026-11-22 22:40 UTC (3 hours)');
  });

  it.each([
    ['mailbox_suspended', { mailboxId: 'box' }, '/mailboxes/box'],
    ['dns_broken', { domainId: 'dom' }, '/domains/dom'],
    ['webhook_failing', { subject: `a.example (${alert().id})` }, `/webhooks/${alert().id}`],
    ['system_degraded', {}, '/system/health'],
    ['rate_limited', {}, '/alerts'],
  ] as const)('of the kind %s links to its page', (kind, over, path) => {
    expect(alertMail([alert({ kind, ...over })], URL).text).toContain(`\n${URL}${path}\n\n`);
  });

  it('has a title of its own for every kind', () => {
    const titles = Object.keys(ALERT_KINDS).map(
      (kind) => alertMail([alert({ kind: kind as AlertNews['kind'], subject: 'ann@a.example' })], URL).subject,
    );
    expect(new Set(titles).size).toBe(Object.keys(ALERT_KINDS).length);
    for (const title of titles) expect(title).toContain('ann@a.example');
  });
});

describe('an email about many alerts', () => {
  it('counts them, names the worst, and lists the open ones first', () => {
    const news = [
      alert({ status: 'closed', subject: 'IMAP', closedAt: AT, isResolved: true }),
      alert({ kind: 'rate_limited', severity: 'warning', subject: 'ann@a.example' }),
      alert(),
    ];
    const { subject, text } = alertMail(news, URL);
    expect(subject).toBe('[Postroom] 2 alerts opened, 1 closed: SMTP (mx1.example.com) is down');
    expect(text.indexOf('WARNING')).toBeLessThan(text.indexOf('RESOLVED'));
  });

  it('is bounded however many there are and whatever they contain', () => {
    const hostile = `${'x'.repeat(5_000)}\r\nBcc: all@far.example\u0000\u202e`;
    const { subject, text } = alertMail(
      Array.from({ length: 1_000 }, () => alert({ subject: hostile, text: '' })),
      URL,
    );
    expect(subject.length).toBeLessThanOrEqual(150);
    expect(text).toContain('And 950 more.');
    expect(text.length).toBeLessThan(100_000);
    expect(text).not.toMatch(/[\0\r\u202e]|\nBcc/);
  });
});
