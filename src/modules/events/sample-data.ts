import type { EventType } from '@/lib/event-types';
import { uuidv7 } from '@/lib/uuid';
import type { EventData } from './payloads';

/** Sample data for an event of a domain, with all fields of its type that are always there. */
export function sampleData<Type extends EventType>(
  type: Type,
  domain: string,
  id: string = uuidv7(),
): { messageId: string | null; data: EventData[Type] } {
  const messageId = `<test.${id}@${domain}>`;
  const data = SAMPLES[type](domain, { id, messageId });
  return { messageId: 'message_id' in data ? messageId : null, data };
}

const QUEUE_ID = '4TESTQUEUEID';
const SUBJECT = 'A test event from Postroom';
const OUTSIDE = 'someone@example.net';

type Ids = { id: string; messageId: string };

function sent(domain: string, { messageId }: Ids) {
  return { message_id: messageId, from: `hello@${domain}`, to: [OUTSIDE], subject: SUBJECT, domain };
}

function outbound(domain: string, ids: Ids) {
  return { ...sent(domain, ids), recipient: OUTSIDE, queue_id: QUEUE_ID };
}

const SAMPLES: { [Type in EventType]: (domain: string, ids: Ids) => EventData[Type] } = {
  'mail.sent': sent,
  'mail.delivered': (domain, ids) => ({
    ...outbound(domain, ids),
    remote_mta: 'mx.example.net',
    smtp_code: 250,
    smtp_response: '250 2.0.0 Ok: a test',
    delay_seconds: 1.2,
  }),
  'mail.bounced': (domain, ids) => ({
    ...outbound(domain, ids),
    bounce: {
      type: 'permanent',
      category: 'invalid_recipient',
      smtp_code: 550,
      enhanced_code: '5.1.1',
      diagnostic: '550 5.1.1 No such user: a test',
      remote_mta: 'mx.example.net',
    },
    will_retry: false,
  }),
  'mail.failed': (domain, ids) => ({
    ...outbound(domain, ids),
    reason: 'expired',
    error: 'Not delivered in time: a test',
  }),
  'mail.suppressed': (domain, ids) => ({ ...sent(domain, ids), recipient: OUTSIDE, reason: 'bounce' }),
  'mail.complained': (domain, ids) => ({ ...outbound(domain, ids), feedback_type: 'abuse' }),
  'mail.unsubscribed': (domain, { messageId }) => ({
    message_id: messageId,
    recipient: OUTSIDE,
    domain,
    list: 'newsletter',
  }),
  'mail.received': (domain, { messageId }) => ({
    message_id: messageId,
    from: OUTSIDE,
    to: `hello@${domain}`,
    domain,
    subject: SUBJECT,
    size: 1024,
    queue_id: QUEUE_ID,
  }),
  'mail.received.full': (domain, { messageId }) => ({
    message_id: messageId,
    from: { name: 'Someone', email: OUTSIDE },
    to: [{ name: '', email: `hello@${domain}` }],
    cc: [],
    reply_to: { name: '', email: OUTSIDE },
    reply_to_all: [{ name: '', email: OUTSIDE }],
    subject: SUBJECT,
    body_text: 'A test.',
    body_html: '<p>A test.</p>',
    attachments: [
      {
        filename: 'test.txt',
        content_type: 'text/plain',
        disposition: 'attachment',
        content_id: null,
        size: 4,
        content_base64: 'dGVzdA==',
      },
    ],
    headers: { From: `Someone <${OUTSIDE}>`, To: `hello@${domain}`, Subject: SUBJECT },
    envelope: { mail_from: OUTSIDE, rcpt_to: [`hello@${domain}`] },
    domain,
    size: 1024,
    spam_score: 0,
    spam_action: 'no action',
    queue_id: QUEUE_ID,
  }),
  'mail.spam': (domain, { messageId }) => ({
    message_id: messageId,
    from: OUTSIDE,
    to: `hello@${domain}`,
    domain,
    spam_score: 15,
    spam_action: 'quarantine',
  }),
  'domain.dns_changed': (domain, { id }) => ({
    domain,
    domain_id: id,
    status: 'error',
    previous_status: 'ok',
    changes: [{ purpose: 'mx', type: 'MX', name: domain, before: [`10 mail.${domain}`], after: [], status: 'missing' }],
  }),
  'system.alert': (_, { id }) => ({
    alert_id: id,
    kind: 'system_degraded',
    severity: 'warning',
    status: 'open',
    subject: 'Free disk space (mail.example.com)',
    message: 'Free disk space (mail.example.com) needs attention. The value is 24%; the limit is 30%.',
    domain_id: null,
  }),
};
