import { newQueueId } from '@/mail/sandbox/queue-id';
import type { InboundRoute, MessageStatus } from '@/modules/messages/schema';
import type { DemoContext } from '../demo-context';
import type { DemoAlias } from '../directory/aliases';
import type { DemoDomain } from '../directory/domains';
import type { DemoMailbox } from '../directory/mailboxes';
import { after, busyMoments, DAY_MS, MINUTE_MS } from '../time';
import { type DemoMessage, type Detail, detailOf, type RecipientRow, type Reply } from './demo-message';
import { fullContent } from './full-content';
import { expired, randomCorrespondent } from './remote-servers';
import { receivedSubject, sizeOf, spamSubject } from './subjects';

type Route = { address: string; domain: DemoDomain; mailboxes: DemoMailbox[]; elsewhere: string[] };

const QUEUE_LIFETIME_MS = 5 * DAY_MS;
const FULL: Reply = {
  cause: 'remote_reply',
  smtpCode: 452,
  enhancedCode: '4.2.2',
  response: '452 4.2.2 Quota exceeded (mailbox for user is full)',
  remoteMta: 'mail.postroom.example',
};
const REFUSED_ELSEWHERE: Reply = {
  cause: 'remote_reply',
  smtpCode: 550,
  enhancedCode: '5.7.1',
  response: '550 5.7.1 Forwarded message rejected: sender is not authenticated',
  remoteMta: 'mx1.fastpost.example',
};

/** 30 days of inbound mail to mailboxes and aliases. */
export function planIncoming(
  ctx: DemoContext,
  mailboxes: readonly DemoMailbox[],
  aliases: readonly DemoAlias[],
  count: number,
): DemoMessage[] {
  const { now, random } = ctx;
  const own = mailboxes.filter(({ active, domain }) => active && domain.active);
  const direct = own.map((mailbox) => [route(mailbox), 0.15 + mailbox.domain.weight + random.next() ** 3] as const);
  const led = aliases
    .filter(
      ({ active, domain, mailboxes: to, elsewhere }) => active && domain.active && to.length + elsewhere.length > 0,
    )
    .map((alias) => [alias, 0.05 + alias.domain.weight] as const);
  return busyMoments(random, now, 30, count).map((at) => {
    const isAlias = led.length > 0 && random.chance(0.27);
    return receive(ctx, isAlias ? random.weighted(led) : random.weighted(direct), at);
  });
}

function route(mailbox: DemoMailbox): Route {
  return { address: mailbox.address, domain: mailbox.domain, mailboxes: [mailbox], elsewhere: [] };
}

function receive(ctx: DemoContext, to: Route, at: Date): DemoMessage {
  const { random } = ctx;
  const spam = random.weighted([
    ['no', 87],
    ['marked', 5],
    ['held', 6],
    ['rejected', 2],
  ] as const);
  const score = spam === 'no' ? random.int(-40, 55) / 10 : random.int(62, 190) / 10;
  const from = randomCorrespondent(random);
  const subject = spam === 'no' ? receivedSubject(random) : spamSubject(random);
  const message = createInbound(ctx, to, at, { from: from.address, subject, score });
  const { note, settle } = writerOf(ctx, message);
  if (spam !== 'no') {
    const action = { marked: 'add header', held: 'quarantine', rejected: 'reject' }[spam];
    const verdict = { spam_score: score, spam_action: action };
    note('spam', at, to.address, spam === 'marked' ? verdict : { route: 'filter', ...verdict });
    const { message_id } = message.row;
    const data = { message_id, from: from.address, to: to.address, domain: to.domain.name, ...verdict };
    message.emissions.push({ type: 'mail.spam', at, recipient: to.address, data });
    if (spam !== 'marked') return settle('spam', null, 'filter');
  }
  const full = to.mailboxes.find(({ isFull }) => isFull);
  if (full && to.mailboxes.length === 1) return waitForRoom(ctx, message, to, full.address);
  if (to.mailboxes.length === 0 && random.chance(0.03)) {
    note('bounced', after(at, 2_400), to.address, {
      route: 'forwarded',
      forwarded_to: to.elsewhere.slice(0, 1),
      ...detailOf(REFUSED_ELSEWHERE),
    });
    return settle('bounced', REFUSED_ELSEWHERE);
  }
  deliver(ctx, message, to, from.name);
  return settle('received', null);
}

function deliver(ctx: DemoContext, message: DemoMessage, to: Route, senderName: string): void {
  const { note } = writerOf(ctx, message);
  const { emissions } = message;
  const { message_id, from_address: from, subject, size_bytes: size, queue_id, created_at: at } = message.row;
  const forwarded = to.elsewhere.length > 0 ? { forwarded_to: to.elsewhere } : {};
  if (to.mailboxes.length === 0) note('forwarded', at, to.address, { route: 'forwarded', ...forwarded });
  for (const { address, domain } of to.mailboxes) {
    const alias = address === to.address ? {} : { addressed_to: to.address };
    note('received', at, address, { route: 'mailbox', ...alias, ...forwarded });
    const about = { message_id, from, to: address, domain: domain.name, subject, size, queue_id };
    emissions.push({ type: 'mail.received', at, recipient: address, domainId: domain.id, data: about });
  }
  const [first] = to.mailboxes;
  if (!first) return;
  const data = fullContent(message, { to: to.address, domain: first.domain.name, senderName });
  emissions.push({ type: 'mail.received.full', at, recipient: first.address, domainId: first.domain.id, data });
}

/** A full mailbox: the message is retried until it is returned. */
function waitForRoom(ctx: DemoContext, message: DemoMessage, to: Route, mailbox: string): DemoMessage {
  const { note, settle } = writerOf(ctx, message);
  const at = message.row.created_at;
  const alias = mailbox === to.address ? {} : { addressed_to: to.address };
  note('deferred', after(at, 400), mailbox, { route: 'mailbox', ...alias, ...detailOf(FULL) });
  const endsAt = after(at, QUEUE_LIFETIME_MS + ctx.random.int(1, 25) * MINUTE_MS);
  if (endsAt > ctx.now) return settle('deferred', FULL);
  const reply = expired(FULL);
  const { remote_mta: _, ...detail } = detailOf(reply);
  note('failed', endsAt, mailbox, { route: 'mailbox', ...alias, ...detail });
  return settle('failed', reply);
}

function createInbound(
  { random }: DemoContext,
  to: Route,
  at: Date,
  { from, subject, score }: { from: string; subject: string; score: number },
): DemoMessage {
  const id = random.uuidAt(at);
  const sender = from.slice(from.indexOf('@') + 1);
  const row = {
    id,
    message_id: `<${random.uuidAt(at).slice(0, 23)}.${random.int(1e5, 9e5)}@${sender}>`,
    queue_id: newQueueId(at),
    domain_id: to.domain.id,
    direction: 'inbound' as const,
    from_address: from,
    to_addresses: [to.address],
    subject,
    size_bytes: sizeOf(random, 'person') + 1_800,
    status: 'received' as const,
    spam_score: score,
    api_key_id: null,
    created_at: at,
    updated_at: at,
  };
  const route: InboundRoute = to.mailboxes.length > 0 ? 'mailbox' : 'forwarded';
  const noReply = { cause: null, smtp_code: null, enhanced_code: null, response: null, category: null };
  const answer = { route, delivered_at: null, ...noReply };
  const recipients: RecipientRow[] = [
    { id: random.uuidAt(at), message_id: id, address: to.address, kind: 'to', status: 'received', ...answer },
  ];
  return { row, domainName: to.domain.name, recipients, trace: [], emissions: [], sender: null };
}

function writerOf({ random }: DemoContext, message: DemoMessage) {
  const { row, recipients, trace } = message;
  return {
    note(type: string, at: Date, recipient: string, detail: Detail): void {
      trace.push({ id: random.uuidAt(at), message_id: row.id, type, at, recipient, detail });
      if (at > row.updated_at) row.updated_at = at;
    },
    settle(status: MessageStatus, reply: Reply | null, route?: InboundRoute): DemoMessage {
      row.status = status;
      for (const recipient of recipients) {
        recipient.status = status;
        recipient.cause = reply?.cause ?? null;
        if (route) recipient.route = route;
        recipient.smtp_code = reply?.smtpCode ?? null;
        recipient.enhanced_code = reply?.enhancedCode ?? null;
        recipient.response = reply?.response ?? null;
      }
      return message;
    },
  };
}
