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
  queued: { code: 'MTA', state: 'passed', rim: 'MAIL SERVER', title: 'Queued by your mail server' },
  refused: { code: '5XX', state: 'failed', rim: 'MAIL SERVER', title: 'Rejected by your mail server' },
  uncertain: { code: 'T/O', state: 'deferred', rim: 'MAIL SERVER', title: 'No reply from your mail server' },
  delivered: { code: '250', state: 'delivered', rim: 'REMOTE', title: 'Delivered' },
  deferred: { code: '4XX', state: 'deferred', rim: 'REMOTE', title: 'Deferred by the receiving server' },
  bounced: { code: '550', state: 'bounced', rim: 'REMOTE', title: 'Rejected by the receiving server' },
  failed: { code: 'END', state: 'failed', rim: 'MAIL SERVER', title: 'Gave up retrying' },
  held: { code: 'HOLD', state: 'deferred', rim: 'MAIL SERVER', title: 'Held in the queue by an admin' },
  released: { code: 'GO', state: 'passed', rim: 'MAIL SERVER', title: 'Released from hold' },
  received: { code: 'IN', state: 'delivered', rim: 'MAILBOX', title: 'Delivered to the mailbox' },
  forwarded: { code: 'FWD', state: 'passed', rim: 'ALIAS', title: 'Forwarded by an alias' },
  spam: { code: 'SPAM', state: 'passed', rim: 'FILTER', title: 'Marked as spam' },
};

/** By the filter's action; any other action means delivered with a mark. */
const SPAM_TITLES: Record<string, string> = { reject: 'Rejected as spam', quarantine: 'Quarantined as spam' };
/** A deferral without a reply: no server was reached. */
const NOT_CONNECTED: HopTemplate = {
  code: 'WAIT',
  state: 'deferred',
  rim: 'MAIL SERVER',
  title: 'Delivery attempt failed',
};
const DELETED_FROM_QUEUE: HopTemplate = {
  code: 'END',
  state: 'failed',
  rim: 'MAIL SERVER',
  title: 'Deleted from the queue',
};
/** For inbound mail, at a local mailbox. */
const MAILBOX_TEMPLATES: Record<string, HopTemplate> = {
  deferred: { code: 'WAIT', state: 'deferred', rim: 'MAILBOX', title: 'Deferred by the mailbox' },
  bounced: { code: '5XX', state: 'bounced', rim: 'MAILBOX', title: 'Rejected by the mailbox' },
};

/** By the status of the webhook delivery. */
const WEBHOOK_TEMPLATES: Record<string, Omit<HopTemplate, 'rim'>> = {
  pending: { code: 'HOOK', state: 'pending', title: 'Webhook delivery pending' },
  retrying: { code: 'HOOK', state: 'deferred', title: 'Webhook failed, will retry' },
  delivered: { code: 'HOOK', state: 'delivered', title: 'Webhook delivered' },
  abandoned: { code: 'HOOK', state: 'failed', title: 'Webhook delivery abandoned' },
};

const WAITING: Partial<Record<Message['status'], string>> = {
  submitting: 'Submitting to your mail server',
  sent: 'Waiting for the receiving server',
  deferred: 'Your mail server will retry',
};
const UNFINISHED: ReadonlySet<Message['status']> = new Set(['submitting', 'sent', 'deferred']);

export function hopsOf({ events, status, direction, created_at }: Message): Hop[] {
  const hops = events.map((event, index) => hopOf(event, direction, events[index - 1]?.at, index));
  if (UNFINISHED.has(status)) hops.push(waitingHop(status, direction, events.at(-1)?.at ?? created_at));
  return hops;
}

function hopOf(event: MessageEvent, direction: Direction, before: string | undefined, index: number): Hop {
  const template = templateOf(event, direction);
  const code = event.detail.smtp_code;
  const response = event.detail.response;
  return {
    id: `${event.type}-${index}`,
    code: code ? String(code) : template.code,
    state: template.state,
    rim: [rimOf(event, template), formatStampDay(event.at)],
    title: template.title,
    at: formatClockMillis(event.at),
    dateTime: event.at,
    after: before && formatElapsed(before, event.at),
    detail: detailOf(event),
    raw: typeof response === 'string' && template.state !== 'passed' ? rawOf(event, response) : undefined,
  };
}

type Direction = Message['direction'];

function templateOf({ type, detail }: MessageEvent, direction: Direction): HopTemplate {
  const webhook = type === 'webhook' ? WEBHOOK_TEMPLATES[String(detail.status)] : undefined;
  if (webhook) return { ...webhook, rim: 'WEBHOOK' };
  if (type === 'failed' && wasDeletedFromQueue(detail)) return DELETED_FROM_QUEUE;
  const atMailbox = direction === 'inbound' && detail.forwarded_to === undefined ? MAILBOX_TEMPLATES[type] : undefined;
  if (atMailbox) return atMailbox;
  if (type === 'deferred' && !detail.smtp_code) return NOT_CONNECTED;
  const template = TEMPLATES[type] ?? { code: '…', state: 'passed', rim: 'POSTROOM', title: type };
  return { ...template, title: SPAM_TITLES[String(detail.spam_action)] ?? template.title };
}

function rimOf({ detail, recipient }: MessageEvent, template: HopTemplate): string {
  if (template.rim !== 'REMOTE') return template.rim;
  const to = typeof detail.forwarded_to === 'string' ? detail.forwarded_to : recipient;
  const host = typeof detail.remote_mta === 'string' ? detail.remote_mta : (to?.split('@')[1] ?? '');
  const [name] = host.split('.').slice(-2);
  return (name || template.rim).toUpperCase().slice(0, 12);
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
        Queue ID <span className="mono">{queueId}</span>
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
  const { addressed_to: alias, forwarded_to: forwardedTo } = detail;
  return (
    <>
      <EmailAddress value={recipient} />
      {typeof alias === 'string' && (
        <span>
          {' via '}
          <EmailAddress value={alias} />
        </span>
      )}
      {typeof forwardedTo === 'string' && <span>, forwarded to {forwardedTo}</span>}
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
    title: WAITING[status] ?? 'Waiting for the receiving server',
    detail: <span>Since {formatFull(since)}</span>,
  };
}
