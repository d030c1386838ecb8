import { explainDeferral } from '@/lib/deferral-reasons';
import { explainStatusCode } from '@/lib/reply-codes';
import type { Message } from '../schema';

export type Explanation = { title: string; text: string; reply: string | null; resend: 'again' | 'elsewhere' | null };

type Recipient = Message['recipients'][number];

export function explainOutcome(message: Message): Explanation | null {
  if (message.status === 'uncertain') {
    return {
      title: 'It is not known whether this was sent',
      text: 'The connection to the mail server broke after the message was handed over. Do not send it again before this is settled, or it may arrive twice.',
      reply: null,
      resend: null,
    };
  }
  const worst = worstOf(message.recipients);
  if (!worst) return null;
  if (message.direction === 'inbound') return { ...explainInbound(worst), reply: worst.response, resend: null };
  if (worst.status === 'failed') {
    if (message.events.some(({ type }) => type === 'refused')) return explainRejection(worst);
    return wasDeletedFromQueue(worst) ? DELETED : explainExpiry(worst);
  }
  const host = worst.address.slice(worst.address.lastIndexOf('@') + 1);
  const isUnreached = worst.status === 'deferred' && worst.smtp_code === null;
  const own = isUnreached ? explainDeferral(worst.response, worst.address) : null;
  const { title, text } = own ?? explainStatusCode(worst.enhanced_code, host) ?? explainWithoutCode(worst, host);
  return { title, text, reply: worst.response, resend: worst.status === 'deferred' ? null : 'elsewhere' };
}

/** Whether what failed in the queue was deleted there: what the mail server gives up has a code. */
export function wasDeletedFromQueue({ enhanced_code: code }: { enhanced_code?: unknown }): boolean {
  return !code;
}

const DELETED: Explanation = {
  title: 'It was taken out of the queue',
  text: 'An admin deleted it before it was delivered; its sender was not told. The audit log says who, unless it was done on the host.',
  reply: null,
  resend: 'again',
};

function explainInbound({ status, enhanced_code: code }: Recipient): { title: string; text: string } {
  const isFull = /^[45]\.2\.2$/.test(code ?? '');
  if (status === 'deferred') {
    return {
      title: 'Not delivered yet',
      text: 'What this address leads to does not take it now. The mail server tries again by itself, and tells the sender if it has to give up.',
    };
  }
  if (status === 'failed') {
    return {
      title: 'Never delivered',
      text: 'It waited in the queue and left it undelivered. The reply below says why; the sender has to send it again once that is mended.',
    };
  }
  return {
    title: isFull ? 'The mailbox is full' : 'Not delivered',
    text: isFull
      ? 'The mailbox that this address leads to had no room, and the sender was told so. Raise its quota, or have its owner delete mail; then the sender can send it again.'
      : 'What this address leads to refused it, and the sender was told so. The reply below says why.',
  };
}

function explainRejection({ smtp_code: code, response }: Recipient): Explanation {
  const isPassing = code !== null && code < 500;
  return {
    title: 'Your own mail server did not take it',
    text: isPassing
      ? 'The message never left. The reply below names a passing trouble: send it again once that is over.'
      : 'The message never left. The reply below says why; what it names has to be mended in the message or on that server.',
    reply: response,
    resend: 'again',
  };
}

function explainExpiry({ response }: Recipient): Explanation {
  return {
    title: 'Your mail server gave up',
    text: 'It tried as long as it is told to. The reply below is the last one it got; send it again once the cause is mended.',
    reply: response,
    resend: 'again',
  };
}

function worstOf(recipients: Recipient[]): Recipient | undefined {
  return (['bounced', 'failed', 'deferred'] as const)
    .map((status) => recipients.find((recipient) => recipient.status === status))
    .find((recipient) => recipient !== undefined);
}

function explainWithoutCode({ status }: Recipient, host: string): { title: string; text: string } {
  if (status === 'deferred') {
    return {
      title: `${host} puts it off`,
      text: 'Their server did not take it yet. The mail server tries again by itself; nothing needs doing.',
    };
  }
  return {
    title: `${host} refused it`,
    text: 'Their server turned the message away for good. The reply below is in their own words.',
  };
}
