import { isIP } from 'node:net';
import { subjectPath } from '@/lib/texts/alert-subject';
import { type AlertRow, describeAlert } from '../message';
import type { AlertNews } from './outbox';

const MAX_SUBJECT_LENGTH = 150;
const MAX_LINE_LENGTH = 600;
/** Alerts of each kind that are listed; the others are counted. */
const MAX_LISTED = 50;
const MINUTE_MS = 60_000;

type AlertMail = { subject: string; text: string };

/** The email about alerts. Links lead to the console at `appUrl`. */
export function alertMail(news: readonly AlertNews[], appUrl: string): AlertMail {
  const opened = news.filter(({ status }) => status !== 'closed');
  const closed = news.filter(({ status }) => status === 'closed');
  const paragraphs = [
    ...listed(opened, (alert) => openedText(alert, appUrl)),
    ...listed(closed, (alert) => closedText(alert)),
    `All alerts: ${appUrl}/alerts\nYou get this email because your address is in ALERT_EMAILS.`,
  ];
  return { subject: subjectOf(opened, closed), text: `${paragraphs.join('\n\n')}\n` };
}

/** The email that tests whether those about alerts arrive. */
export function testMail(adminEmail: string, appUrl: string): AlertMail {
  const paragraphs = [
    `${adminEmail} sent this to test the emails about alerts. Nothing is wrong.`,
    `All alerts: ${appUrl}/alerts\nYou get this email because your address is in ALERT_EMAILS.`,
  ];
  return { subject: '[Postroom] Test of alert emails', text: `${paragraphs.join('\n\n')}\n` };
}

function subjectOf(opened: AlertNews[], closed: AlertNews[]): string {
  const [first] = [...opened, ...closed];
  if (first && opened.length + closed.length === 1) {
    const word = first.status === 'closed' ? endOf(first) : SEVERITIES[first.severity];
    return cut(`[Postroom] ${word}: ${titleOf(first)}`, MAX_SUBJECT_LENGTH);
  }
  const counts = [
    opened.length > 0 && countOf(opened.length, 'opened'),
    closed.length > 0 && `${closed.length} closed`,
  ];
  const worst = opened.find(({ severity }) => severity === 'critical') ?? opened[0];
  const title = worst ? `: ${titleOf(worst)}` : '';
  return cut(`[Postroom] ${counts.filter(Boolean).join(', ')}${title}`, MAX_SUBJECT_LENGTH);
}

function countOf(count: number, word: string): string {
  return `${count} ${count === 1 ? 'alert' : 'alerts'} ${word}`;
}

function cut(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
}

function listed(alerts: AlertNews[], textOf: (alert: AlertNews) => string): string[] {
  const texts = alerts.slice(0, MAX_LISTED).map(textOf);
  const others = alerts.length - texts.length;
  return others > 0 ? [...texts, `And ${others} more.`] : texts;
}

const SEVERITIES: Record<AlertRow['severity'], string> = { critical: 'Critical', warning: 'Warning' };

function openedText(alert: AlertNews, appUrl: string): string {
  const fix = FIXES[alert.kind];
  return [
    `${SEVERITIES[alert.severity].toUpperCase()}: ${titleOf(alert)}`,
    oneLine(`${describeAlert(alert)}${fix ? ` ${fix}` : ''}`),
    `Since ${timeText(alert.createdAt)}`,
    `${appUrl}${subjectPath(alert) ?? '/alerts'}`,
  ].join('\n');
}

function closedText(alert: AlertNews): string {
  const { createdAt, closedAt } = alert;
  const minutes = closedAt ? Math.max(1, Math.round((closedAt.getTime() - createdAt.getTime()) / MINUTE_MS)) : 0;
  const until = closedAt ? ` to ${timeText(closedAt)} (${durationText(minutes)})` : '';
  return `${endOf(alert).toUpperCase()}: ${titleOf(alert)}\nFrom ${timeText(createdAt)}${until}`;
}

function endOf({ isResolved }: AlertRow): string {
  return isResolved ? 'Resolved' : 'Closed by an admin';
}

function titleOf({ kind, subject: given }: AlertRow): string {
  const subject = oneLine(given);
  if (kind === 'wrong_passwords') return `Wrong passwords ${isIP(subject) ? 'from' : 'for'} ${subject}`;
  return TITLES[kind].replace('{}', () => subject);
}

const TITLES: Record<AlertRow['kind'], string> = {
  system_down: '{} is down',
  system_degraded: '{} needs attention',
  mailbox_suspended: '{} was suspended',
  rate_limited: '{} exceeded its hourly limit',
  volume_spike: '{} sends more than usual',
  webhook_failing: 'The webhook {} keeps failing',
  wrong_passwords: 'Wrong passwords: {}',
  dns_broken: 'DNS records of {} are broken',
  content_store: 'The content store {} does not respond',
};

/** The fix for each kind whose message does not say what to do. */
const FIXES: Partial<Record<AlertRow['kind'], string>> = {
  mailbox_suspended:
    'Look at what it sent. If somebody else sent it, give the mailbox a new password; then unsuspend it. If its user did, raise the limit.',
  rate_limited: 'If this volume is intended, raise the limit. If not, look at who sends it.',
  volume_spike: 'If this volume is not intended, suspend the mailbox and give it a new password.',
  webhook_failing: 'Look at its last response, fix the endpoint, then replay the failed deliveries.',
  wrong_passwords: 'If this is one of your users, give them a new password. If it is not, nothing needs to be done.',
  content_store: 'Make room or restore the connection to it.',
};

/** Subjects and messages may hold what other programs said. */
function oneLine(text: string): string {
  return cut(text.replace(/[\s\p{C}]+/gu, ' ').trim(), MAX_LINE_LENGTH);
}

function timeText(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function durationText(minutes: number): string {
  if (minutes < 120) return `${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`;
}
