import type { EventType } from '@/lib/event-types';
import { uuidv7 } from '@/lib/uuid';

/** Sample data for an event of a domain, with all fields of its type. */
export function sampleData(type: EventType, domain: string): { messageId: string | null; data: object } {
  if (type === 'domain.dns_changed' || type === 'system.alert') return { messageId: null, data: SAMPLES[type](domain) };
  const messageId = `<test.${uuidv7()}@${domain}>`;
  return { messageId, data: { message_id: messageId, ...SAMPLES[type](domain) } };
}

const QUEUE_ID = '4TESTQUEUEID';
const SUBJECT = 'A test event from Postroom';
const OUTSIDE = 'someone@example.net';

function outbound(domain: string) {
  const from = `hello@${domain}`;
  return { from, to: [OUTSIDE], recipient: OUTSIDE, subject: SUBJECT, domain, queue_id: QUEUE_ID };
}

const SAMPLES: Record<EventType, (domain: string) => object> = {
  'mail.sent': (domain) => ({ from: `hello@${domain}`, to: [OUTSIDE], subject: SUBJECT, domain }),
  'mail.delivered': (domain) => ({
    ...outbound(domain),
    remote_mta: 'mx.example.net',
    smtp_code: 250,
    smtp_response: '250 2.0.0 Ok: a test',
    delay_seconds: 1.2,
  }),
  'mail.bounced': (domain) => ({
    ...outbound(domain),
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
  'mail.failed': (domain) => ({ ...outbound(domain), reason: 'expired', error: 'Not delivered in time: a test' }),
  'mail.suppressed': (domain) => {
    const { queue_id: _, ...message } = outbound(domain);
    return { ...message, reason: 'bounce' };
  },
  'mail.complained': (domain) => ({ ...outbound(domain), feedback_type: 'abuse' }),
  'mail.unsubscribed': (domain) => ({ recipient: outbound(domain).recipient, domain, list: 'newsletter' }),
  'mail.received': (domain) => ({
    from: OUTSIDE,
    to: `hello@${domain}`,
    domain,
    subject: SUBJECT,
    size: 1024,
    queue_id: QUEUE_ID,
  }),
  'mail.received.full': (domain) => ({
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
  'mail.spam': (domain) => ({
    from: OUTSIDE,
    to: `hello@${domain}`,
    domain,
    spam_score: 15,
    spam_action: 'quarantine',
  }),
  'domain.dns_changed': (domain) => ({
    domain,
    domain_id: uuidv7(),
    status: 'error',
    previous_status: 'ok',
    changes: [{ purpose: 'mx', type: 'MX', name: domain, before: [`10 mail.${domain}`], after: [], status: 'missing' }],
  }),
  'system.alert': () => ({
    alert_id: uuidv7(),
    kind: 'system_degraded',
    severity: 'warning',
    status: 'open',
    subject: 'Free disk space (mail.example.com)',
    message: 'Free disk space (mail.example.com) needs attention. The value is 24 %; the limit is 30 %.',
    domain_id: null,
  }),
};
