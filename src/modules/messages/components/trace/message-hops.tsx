import type { Hop } from '@/components/marks/timeline';
import { NearLink } from '@/components/near-link';
import { EmailAddress } from '@/components/values/email-address';
import { formatClockMillis, formatElapsed, formatFull, formatPlural, formatStampDay } from '@/lib/format';
import { SUPPRESSION_LABELS, suppressionAddress } from '@/lib/mail/suppression';
import type { Message, MessageEvent } from '../../schema';
import { type FoldedEvents, foldEvents } from './fold-events';
import { FoldedList } from './folded-list';
import { type HopTemplate, templateOf } from './hop-templates';

type Detail = MessageEvent['detail'];
const WAITING: Partial<Record<Message['status'], string>> = {
  submitting: 'Submitting to your mail server',
  sent: 'Waiting for the receiving server',
  deferred: 'Your mail server will retry',
};
const UNFINISHED: ReadonlySet<Message['status']> = new Set(['submitting', 'sent', 'deferred']);

export function hopsOf({ events, status, direction, created_at }: Message): Hop[] {
  const folded = foldEvents(events, kindOf);
  const hops = folded.map((group, index) => hopOf(group, folded[index - 1]?.events[0].at));
  if (UNFINISHED.has(status)) hops.push(waitingHop(status, direction, events.at(-1)?.at ?? created_at));
  return hops;
}

function hopOf({ id, events }: FoldedEvents, before: string | undefined): Hop {
  const [event] = events;
  const template = templateOf(event);
  const isFolded = events.length > 1;
  const rims = new Set(events.map((each) => rimOf(each, template)));
  const replies = new Set(events.map(rawOf));
  const [reply] = replies;
  const isSameReply = replies.size === 1;
  return {
    id,
    code: codeOf(event),
    state: template.state,
    rim: [rims.size === 1 ? rimOf(event, template) : template.rim, formatStampDay(event.at)],
    title: template.title,
    at: formatClockMillis(event.at),
    dateTime: event.at,
    after: before && formatElapsed(before, event.at),
    detail: isFolded ? foldedDetailOf(events) : detailOf(event),
    raw: isSameReply ? reply : undefined,
    more: isFolded ? <Folded events={events} withReplies={!isSameReply} /> : undefined,
  };
}

/** Events of one kind differ only in their recipients, or in the deliveries of one webhook. */
function kindOf(event: MessageEvent): string {
  const { webhook_id: webhookId, event: delivered } = event.detail;
  return [templateOf(event).title, codeOf(event), webhookId, delivered].filter(Boolean).join(' ');
}

function codeOf(event: MessageEvent): string {
  return String(event.detail.smtp_code || templateOf(event).code);
}

function foldedDetailOf(events: FoldedEvents['events']) {
  const [{ at, detail }] = events;
  const last = events.at(-1)?.at ?? at;
  const later = last !== at && `${formatElapsed(at, last).slice(1)} later`;
  if (!detail.webhook_id) return later && `The last one ${later}`;
  return (
    <>
      <WebhookDetail detail={detail} />
      {later && <span>, the last one {later}</span>}
    </>
  );
}

function Folded({ events, withReplies }: { events: FoldedEvents['events']; withReplies: boolean }) {
  const isWebhook = events[0].type === 'webhook';
  const items = events.map((event, index) => ({
    id: event.detail.delivery_id ?? `${event.recipient} ${index}`,
    at: formatClockMillis(event.at),
    dateTime: event.at,
    text: isWebhook ? <FoldedDelivery event={event} /> : detailOf(event),
    raw: withReplies ? rawOf(event) : undefined,
  }));
  const label = isWebhook
    ? formatPlural(events.length, 'delivery', 'deliveries')
    : formatPlural(events.length, 'recipient');
  return <FoldedList label={label} items={items} />;
}

function FoldedDelivery({ event: { recipient, detail } }: { event: MessageEvent }) {
  return (
    <NearLink href={deliveryHref(detail)}>{recipient ? <EmailAddress value={recipient} /> : detail.event}</NearLink>
  );
}

function rimOf({ detail, recipient }: MessageEvent, template: HopTemplate): string {
  if (template.rim !== 'REMOTE') return template.rim;
  const to = detail.forwarded_to?.[0] ?? recipient;
  const host = detail.remote_mta ?? to?.split('@')[1] ?? '';
  const [name] = host.split('.').slice(-2);
  return (name || template.rim).toUpperCase().slice(0, 12);
}

function detailOf({ type, detail, recipient }: MessageEvent) {
  const { source, by, queue_id: queueId, reason, send_at: sendAt } = detail;
  if (type === 'suppressed' && recipient) return <SuppressedDetail recipient={recipient} reason={reason} />;
  if (detail.webhook_id) return <WebhookDetail detail={detail} />;
  if (source) {
    return (
      <>
        {sourceLabel(source, detail)} <b className="strong">{by}</b>
        {sendAt && `, for ${formatFull(sendAt)}`}
      </>
    );
  }
  if (sendAt) {
    return (
      <>
        For {formatFull(sendAt)}, by <b className="strong">{by}</b>
      </>
    );
  }
  if (type === 'cancelled') {
    return (
      <>
        By <b className="strong">{by}</b>
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

function SuppressedDetail({ recipient, reason = '' }: { recipient: string; reason: string | undefined }) {
  const label = SUPPRESSION_LABELS[reason as keyof typeof SUPPRESSION_LABELS] ?? reason;
  return (
    <>
      <EmailAddress value={recipient} />
      <span>, {label}: </span>
      <NearLink href={`/suppressions?q=${encodeURIComponent(suppressionAddress(recipient))}`}>
        show suppression
      </NearLink>
    </>
  );
}

function sourceLabel(source: NonNullable<Detail['source']>, { client, api_key_id: keyId }: Detail): string {
  const who = keyId ? 'with an API key of' : 'signed in as';
  if (source === 'smtp') return client ? `By SMTP from ${client}, ${who}` : `By SMTP, ${who}`;
  return source === 'api_key' ? 'With an API key of' : 'From the console by';
}

function WebhookDetail({ detail }: { detail: Detail }) {
  return (
    <>
      <span className="mono">{detail.event}</span> to <NearLink href={deliveryHref(detail)}>{detail.host}</NearLink>
    </>
  );
}

function deliveryHref({ webhook_id: webhookId, delivery_id: deliveryId }: Detail): string {
  return `/webhooks/${webhookId}?delivery=${deliveryId}`;
}

function RecipientDetail({ recipient, detail }: { recipient: string; detail: Detail }) {
  const { addressed_to: alias, forwarded_to: forwardedTo } = detail;
  return (
    <>
      <EmailAddress value={recipient} />
      {alias && (
        <span>
          {' via '}
          <EmailAddress value={alias} />
        </span>
      )}
      {forwardedTo && <span>, forwarded to {forwardedTo.join(', ')}</span>}
    </>
  );
}

/** A reply contains its codes. The log's text about an attempt without a reply does not. */
function rawOf(event: MessageEvent): string | undefined {
  const { cause, enhanced_code: code, response } = event.detail;
  if (!response || templateOf(event).state === 'passed') return undefined;
  return cause === 'no_reply' && code ? `${code} ${response}` : response;
}

function waitingHop(status: Message['status'], direction: Message['direction'], since: string): Hop {
  return {
    id: 'waiting',
    code: 'WAIT',
    state: 'pending',
    rim: [direction === 'inbound' || status === 'submitting' ? 'MAIL SERVER' : 'REMOTE', formatStampDay(since)],
    title: WAITING[status] ?? 'Waiting for the receiving server',
    detail: <span>Since {formatFull(since)}</span>,
  };
}
