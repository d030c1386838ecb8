import Link from 'next/link';
import { EmailAddress } from '@/components/email-address';
import type { StampState } from '@/components/marks/stamp';
import type { Hop } from '@/components/marks/timeline';
import { formatClockMillis, formatElapsed, formatFull, formatStampDay } from '@/lib/format';
import type { Message, MessageEvent } from '../schema';
import { wasDeletedFromQueue } from './explain-outcome';

type HopTemplate = { code: string; state: StampState; rim: string; title: string };

const TEMPLATES: Record<string, HopTemplate> = {
  accepted: { code: 'API', state: 'passed', rim: 'POSTROOM', title: 'Accepted by Postroom' },
  queued: { code: 'MTA', state: 'passed', rim: 'MAIL SERVER', title: 'Queued by the mail server' },
  refused: { code: '5XX', state: 'failed', rim: 'MAIL SERVER', title: 'Refused by the mail server' },
  uncertain: { code: 'T/O', state: 'deferred', rim: 'MAIL SERVER', title: 'No answer after the data' },
  delivered: { code: '250', state: 'delivered', rim: 'REMOTE', title: 'Delivered' },
  deferred: { code: '4XX', state: 'deferred', rim: 'REMOTE', title: 'Put off by the other side' },
  bounced: { code: '550', state: 'bounced', rim: 'REMOTE', title: 'Refused by the other side' },
  failed: { code: 'END', state: 'failed', rim: 'MAIL SERVER', title: 'Given up' },
  held: { code: 'HOLD', state: 'deferred', rim: 'MAIL SERVER', title: 'Held in the queue by an admin' },
  released: { code: 'GO', state: 'passed', rim: 'MAIL SERVER', title: 'Released from hold' },
  received: { code: 'IN', state: 'delivered', rim: 'MAILBOX', title: 'Delivered to the mailbox' },
  forwarded: { code: 'FWD', state: 'passed', rim: 'ALIAS', title: 'Passed on by an alias' },
  spam: { code: 'SPAM', state: 'passed', rim: 'FILTER', title: 'Marked as spam' },
};

/** By what the filter did; all else is delivered with a mark. */
const SPAM_TITLES: Record<string, string> = { reject: 'Refused as spam', quarantine: 'Held as spam' };
/** Nobody out there has said a word. */
const NOT_CONNECTED: HopTemplate = { code: 'WAIT', state: 'deferred', rim: 'MAIL SERVER', title: 'Not handed over yet' };
const DELETED_FROM_QUEUE: HopTemplate = { code: 'END', state: 'failed', rim: 'MAIL SERVER', title: 'Taken out of the queue' };
/** Of mail that came in, at a mailbox here. */
const MAILBOX_TEMPLATES: Record<string, HopTemplate> = {
  deferred: { code: 'WAIT', state: 'deferred', rim: 'MAILBOX', title: 'Put off by the mailbox' },
  bounced: { code: '5XX', state: 'bounced', rim: 'MAILBOX', title: 'Refused by the mailbox' },
};

/** A delivery to a webhook, by its status. */
const WEBHOOK_TEMPLATES: Record<string, Omit<HopTemplate, 'rim'>> = {
  pending: { code: 'HOOK', state: 'pending', title: 'Webhook on its way' },
  retrying: { code: 'HOOK', state: 'deferred', title: 'Webhook tried again later' },
  delivered: { code: 'HOOK', state: 'delivered', title: 'Webhook delivered' },
  abandoned: { code: 'HOOK', state: 'failed', title: 'Webhook given up' },
};

const WAITING: Partial<Record<Message['status'], string>> = {
  submitting: 'Being handed to the mail server',
  sent: 'No answer of the other side yet',
  deferred: 'The mail server tries again',
};
const UNFINISHED: ReadonlySet<Message['status']> = new Set(['submitting', 'sent', 'deferred']);

export function hopsOf({ events, status, direction, created_at }: Message): Hop[] {
  const hops = events.map((event, index) => hopOf(event, direction, events[index - 1]?.at, index));
  if (UNFINISHED.has(status)) hops.push(waitingHop(status, direction, events.at(-1)?.at ?? created_at));
  return hops;
}

function hopOf(event: MessageEvent, direction: Direction, before: string | undefined, index: number): Hop {
  const plan = templateOf(event, direction);
  const code = event.detail.smtp_code;
  const response = event.detail.response;
  return {
    id: `${event.type}-${index}`,
    code: code ? String(code) : plan.code,
    state: plan.state,
    rim: [rimOf(event, plan), formatStampDay(event.at)],
    title: plan.title,
    at: formatClockMillis(event.at),
    dateTime: event.at,
    after: before && formatElapsed(before, event.at),
    detail: detailOf(event),
    raw: typeof response === 'string' && plan.state !== 'passed' ? rawOf(event, response) : undefined,
  };
}

type Direction = Message['direction'];

function templateOf({ type, detail }: MessageEvent, direction: Direction): HopTemplate {
  const hook = type === 'webhook' ? WEBHOOK_TEMPLATES[String(detail.status)] : undefined;
  if (hook) return { ...hook, rim: 'WEBHOOK' };
  if (type === 'failed' && wasDeletedFromQueue(detail)) return DELETED_FROM_QUEUE;
  const atMailbox = direction === 'inbound' && detail.forwarded_to === undefined ? MAILBOX_TEMPLATES[type] : undefined;
  if (atMailbox) return atMailbox;
  if (type === 'deferred' && !detail.smtp_code) return NOT_CONNECTED;
  const plan = TEMPLATES[type] ?? { code: '…', state: 'passed', rim: 'POSTROOM', title: type };
  return { ...plan, title: SPAM_TITLES[String(detail.spam_action)] ?? plan.title };
}

function rimOf({ detail, recipient }: MessageEvent, plan: HopTemplate): string {
  if (plan.rim !== 'REMOTE') return plan.rim;
  const to = typeof detail.forwarded_to === 'string' ? detail.forwarded_to : recipient;
  const host = typeof detail.remote_mta === 'string' ? detail.remote_mta : (to?.split('@')[1] ?? '');
  const [name] = host.split('.').slice(-2);
  return (name || plan.rim).toUpperCase().slice(0, 12);
}

function detailOf({ detail, recipient }: MessageEvent) {
  const by = typeof detail.by === 'string' ? detail.by : null;
  const queueId = typeof detail.queue_id === 'string' ? detail.queue_id : null;
  const reason = typeof detail.reason === 'string' ? detail.reason : null;
  if (typeof detail.webhook_id === 'string') return <WebhookDetail detail={detail} />;
  if (by) {
    return (
      <>
        {submissionSource(detail)} <b className="strong">{by}</b>
      </>
    );
  }
  if (queueId) {
    return (
      <>
        Queue id <span className="mono">{queueId}</span>
      </>
    );
  }
  if (recipient) return <RecipientDetail recipient={recipient} detail={detail} />;
  return reason;
}

function submissionSource({ api_key_id: apiKeyId, client }: MessageEvent['detail']): string {
  if (typeof client === 'string') return `By SMTP from ${client}, signed in as`;
  return apiKeyId ? 'With an API key of' : 'From the console by';
}

function WebhookDetail({ detail }: { detail: MessageEvent['detail'] }) {
  const { event, host, webhook_id: webhookId, delivery_id: deliveryId } = detail;
  return (
    <>
      <span className="mono">{event}</span> to{' '}
      <Link href={`/webhooks/${webhookId}?delivery=${deliveryId}`}>{host}</Link>
    </>
  );
}

function RecipientDetail({ recipient, detail }: { recipient: string; detail: MessageEvent['detail'] }) {
  const { addressed_to: alias, forwarded_to: elsewhere } = detail;
  return (
    <>
      <EmailAddress value={recipient} />
      {typeof alias === 'string' && (
        <span>
          {' by way of '}
          <EmailAddress value={alias} />
        </span>
      )}
      {typeof elsewhere === 'string' && <span>, forwarded to {elsewhere}</span>}
    </>
  );
}

function rawOf({ detail }: MessageEvent, response: string): string {
  const codes = [detail.smtp_code, detail.enhanced_code].filter(Boolean).join(' ');
  return codes === '' || response.startsWith(String(detail.smtp_code)) ? response : `${codes} ${response}`;
}

function waitingHop(status: Message['status'], direction: Direction, since: string): Hop {
  return {
    id: 'waiting',
    code: 'WAIT',
    state: 'pending',
    rim: [direction === 'inbound' ? 'MAIL SERVER' : 'REMOTE', formatStampDay(since)],
    title: WAITING[status] ?? 'Waiting for the other side',
    detail: <span>Since {formatFull(since)}</span>,
  };
}
