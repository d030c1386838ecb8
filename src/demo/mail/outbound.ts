import { newQueueId } from '@/mail/sandbox/queue-id';
import { failureReason } from '@/modules/messages/tracking/bounce-category';
import { isFinal } from '@/modules/messages/tracking/locked-message';
import type { DemoContext } from '../demo-context';
import type { DemoDomain } from '../directory/domains';
import { after } from '../time';
import { type DemoMessage, type Detail, detailOf, type RecipientRow, type Reply } from './demo-message';
import { outcomeEvent, sentEvent } from './outbox';

/** Submitted by API key, from the console, or by SMTP with a mailbox's password. */
export type Origin =
  | { kind: 'api'; admin: { id: string; email: string }; apiKeyId: string | null; batchId: string | null }
  | { kind: 'smtp'; login: string; clientAddress: string };

export type NewOutbound = {
  at: Date;
  domain: DemoDomain;
  from: string;
  to: string[];
  cc?: string[];
  bcc?: string[];
  subject: string;
  sizeBytes: number;
  origin: Origin;
};

export type Outbound = ReturnType<typeof createOutbound>;

/** An outbound message whose status, trace and events stay consistent, as in the app. */
export function createOutbound({ random }: DemoContext, facts: NewOutbound) {
  const { at, domain, from, to, cc = [], bcc = [], subject, sizeBytes, origin } = facts;
  const id = random.uuidAt(at);
  const message: DemoMessage = {
    row: {
      id,
      message_id: `<${random.uuidAt(at)}@${domain.name}>`,
      queue_id: null,
      domain_id: domain.id,
      direction: 'outbound',
      from_address: from,
      to_addresses: origin.kind === 'smtp' ? [...to, ...cc, ...bcc] : to,
      subject,
      size_bytes: sizeBytes,
      status: 'submitting',
      spam_score: null,
      api_key_id: origin.kind === 'api' ? origin.apiKeyId : null,
      created_at: at,
      updated_at: at,
    },
    domainName: domain.name,
    recipients: [],
    trace: [],
    emissions: [],
    sender: null,
  };
  const { row, recipients, trace, emissions } = message;
  const add = (kind: RecipientRow['kind'], address: string) => {
    const known = { message_id: id, status: 'submitting' as const, cause: null, route: null };
    const kindSeen = origin.kind === 'smtp' ? 'to' : kind;
    const noReply = { smtp_code: null, enhanced_code: null, response: null, category: null, delivered_at: null };
    recipients.push({ id: random.uuidAt(at), ...known, address, kind: kindSeen, ...noReply });
  };
  for (const address of to) add('to', address);
  for (const address of cc) add('cc', address);
  for (const address of bcc) add('bcc', address);
  if (origin.kind === 'api') {
    const { admin, apiKeyId, batchId } = origin;
    message.sender = { adminEmail: admin.email, adminId: admin.id, apiKeyId, batchId };
    const by = apiKeyId
      ? ({ source: 'api_key', api_key_id: apiKeyId } as const)
      : ({ source: 'console', session_id: random.uuidAt(at) } as const);
    note('accepted', at, null, { by: admin.email, ...by });
  }

  function note(type: string, when: Date, recipient: string | null, detail: Detail) {
    trace.push({ id: random.uuidAt(when), message_id: id, type, at: when, recipient, detail });
    if (when > row.updated_at) row.updated_at = when;
  }

  function settle(status: RecipientRow['status'], reply: Partial<Reply>): void {
    for (const recipient of recipients) {
      recipient.status = status;
      recipient.cause = reply.cause ?? null;
      recipient.smtp_code = reply.smtpCode ?? null;
      recipient.enhanced_code = reply.enhancedCode ?? null;
      recipient.response = reply.response ?? null;
      recipient.category = status === 'failed' ? failureReason(recipient.cause, recipient.enhanced_code) : null;
    }
    row.status = status;
  }

  return {
    message,
    addresses: recipients.map(({ address }) => address),
    /** The message leaves out this recipient. */
    suppress(address: string, reason: string): void {
      recipients.splice(
        recipients.findIndex((recipient) => recipient.address === address),
        1,
      );
      note('suppressed', at, address, { reason });
      const data = { message_id: row.message_id, from, to, recipient: address, subject, domain: domain.name, reason };
      emissions.push({ type: 'mail.suppressed', at, recipient: address, data });
    },
    /** The mail server accepted the message. */
    queue(): Date {
      const when = origin.kind === 'smtp' ? at : after(at, random.int(18, 260));
      const queueId = newQueueId(when);
      row.queue_id = queueId;
      const response = `250 2.0.0 Ok: queued as ${queueId}`;
      settle('sent', origin.kind === 'smtp' ? {} : { smtpCode: 250, response });
      const by =
        origin.kind === 'smtp'
          ? ({ source: 'smtp', by: origin.login, client: origin.clientAddress } as const)
          : { response };
      note('queued', when, null, { queue_id: queueId, ...by });
      emissions.push(sentEvent(message, when));
      return when;
    },
    /** The mail server rejected the message. */
    refuse(reply: Reply): void {
      const when = after(at, random.int(20, 400));
      settle('failed', reply);
      const { remote_mta: _, ...detail } = detailOf(reply);
      note('refused', when, null, detail);
      for (const { address } of recipients) emissions.push(outcomeEvent(message, 'failed', address, when, reply));
    },
    /** The connection was lost after the data: unconfirmed. */
    lose(reason: string): void {
      settle('uncertain', {});
      note('uncertain', after(at, 7_000 + random.int(0, 40)), null, { reason });
    },
    /** The outcome for one recipient. */
    report(address: string, kind: 'delivered' | 'bounced' | 'deferred' | 'failed', when: Date, reply: Reply): void {
      const recipient = recipients.find((candidate) => candidate.address === address);
      if (!recipient) throw new Error(`${address} is not a recipient.`);
      recipient.status = kind;
      recipient.cause = reply.cause;
      recipient.smtp_code = reply.smtpCode;
      recipient.enhanced_code = reply.enhancedCode;
      recipient.response = reply.response;
      recipient.category = kind === 'delivered' ? null : failureReason(reply.cause, reply.enhancedCode);
      recipient.delivered_at = kind === 'delivered' ? when : null;
      row.status = statusOf(recipients);
      note(kind, when, address, detailOf(reply));
      emissions.push(outcomeEvent(message, kind, address, when, reply));
    },
    /** The recipient reported the message as spam. */
    complain(address: string, when: Date): void {
      note('complained', when, address, { feedback_type: 'abuse' });
      const about = { message_id: row.message_id, from, to, recipient: address, subject, domain: domain.name };
      const data = { ...about, queue_id: row.queue_id, feedback_type: 'abuse' };
      emissions.push({ type: 'mail.complained', at: when, recipient: address, data });
    },
    /** The recipient followed the link to unsubscribe. */
    unsubscribe(address: string, list: string, when: Date): void {
      note('unsubscribed', when, address, { list });
      const data = { message_id: row.message_id, recipient: address, domain: domain.name, list };
      emissions.push({ type: 'mail.unsubscribed', at: when, recipient: address, data });
    },
    /** An admin held the message in the queue, or released it. */
    hold(when: Date, type: 'held' | 'released'): void {
      note(type, when, null, {});
    },
  };
}

/** As the SQL function message_status_of, before the rows are in the database. */
function statusOf(recipients: readonly RecipientRow[]): RecipientRow['status'] {
  const has = (wanted: string) => recipients.some(({ status }) => status === wanted);
  if (has('deferred')) return 'deferred';
  if (!recipients.every(({ status }) => isFinal(status))) return 'sent';
  if (has('bounced')) return 'bounced';
  return has('failed') ? 'failed' : 'delivered';
}
