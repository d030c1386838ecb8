import { explainDeferral } from '@/lib/mail/deferral-reasons';
import { explainReply } from '@/lib/mail/reply-codes';
import type { Message } from '../../schema';
import { explainProgress } from './explain-progress';

export type Explanation = {
  title: string;
  text: string;
  /** Something takes longer than it should. */
  isWarning?: boolean;
  reply: string | null;
  /** Whether to offer sending the message again to the same recipients or to other ones. */
  resend: 'same' | 'other' | null;
  /** An address of a managed domain that nothing has: to be offered as a new mailbox. */
  missing?: { address: string; domainId: string };
  /** The mailbox to look at. */
  mailboxId?: string;
};

type Recipient = Message['recipients'][number];
type Text = Pick<Explanation, 'title' | 'text'>;

/** Which recipients the explanation is about, if others of the message have another status. */
export function explainedRecipients({ status, recipients }: Message): string | null {
  const worst = status === 'uncertain' ? undefined : worstOf(recipients);
  if (!worst) return null;
  const same = recipients.filter((recipient) => recipient.status === worst.status);
  if (same.length === recipients.length) return null;
  return `${worst.address}${same.length > 1 ? ` and ${same.length - 1} more` : ''}, of ${recipients.length} recipients`;
}

/** Explains what happened to a message, and what to do next. */
export function explainOutcome(message: Message): Explanation {
  if (message.on_hold) return ON_HOLD;
  const worst = message.status === 'uncertain' ? undefined : worstOf(message.recipients);
  if (!worst) return { ...explainProgress(message), reply: null, resend: null };
  if (message.direction === 'inbound') {
    const reply = worst.cause === 'deleted' ? null : worst.response;
    const mailboxId = (isFull(worst) && worst.mailbox_id) || undefined;
    return { ...explainInbound(worst), reply, resend: null, mailboxId };
  }
  if (worst.cause === 'rejected') return explainRejection(worst);
  if (worst.cause === 'not_submitted') return { ...NOT_SUBMITTED, reply: worst.response };
  if (worst.cause === 'not_allowed') return { ...NOT_ALLOWED, reply: worst.response };
  if (worst.cause === 'deleted') return DELETED_FROM_QUEUE;
  if (worst.cause === 'expired') return explainExpiry(worst);
  if (worst.cause === 'unknown') return UNKNOWN_RESULT;
  if (worst.cause === 'bounce_report') return explainReport(worst);
  const host = domainOf(worst.address);
  const isUnanswered = worst.cause === 'no_reply';
  const deferral = isUnanswered && worst.status === 'deferred' ? explainDeferral(worst.response, worst.address) : null;
  const own = explainOwnDomain(worst);
  if (own) return own;
  const text = isUnanswered ? null : worst.response;
  const reply = explainReply({ code: worst.enhanced_code, text }, host, worst.mailbox_id !== null);
  const found = deferral ?? reply ?? (isUnanswered ? explainReturned(host) : explainWithoutCode(worst, host));
  const next = reply?.isOurs ? 'same' : 'other';
  return {
    title: found.title,
    text: found.text,
    reply: worst.response,
    resend: worst.status === 'deferred' ? null : next,
    mailboxId: (isFull(worst) && worst.mailbox_id) || undefined,
  };
}

const ON_HOLD: Explanation = {
  title: 'On hold in the queue',
  text: 'Your mail server attempts no delivery until the message is released. Release or delete it in the queue.',
  reply: null,
  resend: null,
};

const DELETED_FROM_QUEUE: Explanation = {
  title: 'Deleted from the queue',
  text: 'An admin deleted the message before it was delivered. The sender was not notified. The audit log shows who deleted it, unless it was done on the mail server’s host.',
  reply: null,
  resend: 'same',
};

const UNKNOWN_RESULT: Explanation = {
  title: 'The result is unknown',
  text: 'The message left the queue, but the mail log doesn’t show what happened to it. It may have been delivered. Ask the recipient before you resend it.',
  reply: null,
  resend: 'same',
};

const NOT_SUBMITTED = {
  title: 'Your mail server could not be reached',
  text: 'The message was not sent. The text below says what failed. Resend once the mail server accepts connections.',
  resend: 'same',
} as const;

const NOT_ALLOWED = {
  title: 'Not sent when it was due',
  text: 'Postroom checked the scheduled message at its time and did not send it. The text below says why. Fix the cause, then send the message again.',
  resend: 'same',
} as const;

/** Missing addresses of a managed domain can be created here. */
function explainOwnDomain(recipient: Recipient): Explanation | null {
  const { address, enhanced_code: code, response, domain_id: domainId, mailbox_id: mailboxId } = recipient;
  if (domainId === null || !/^5\.1\.[01]$/.test(code ?? '')) return null;
  if (mailboxId !== null) {
    return {
      title: `The mailbox ${address} was missing or inactive`,
      text: 'The mailbox exists now. Check that it and its domain are active, then resend.',
      reply: response,
      resend: 'same',
      mailboxId,
    };
  }
  return {
    title: `You have no mailbox or alias for ${address}`,
    text: `Your server manages ${domainOf(address)}. Create a mailbox or an alias for the address, then resend, or send to another address.`,
    reply: response,
    resend: 'same',
    missing: { address, domainId },
  };
}

function isFull({ enhanced_code: code }: Recipient): boolean {
  return /^[45]\.2\.2$/.test(code ?? '');
}

function explainInbound(recipient: Recipient): Text {
  const { status, cause } = recipient;
  if (cause === 'deleted') return DELETED_FROM_QUEUE;
  if (status === 'deferred') {
    return {
      title: 'Not delivered yet',
      text: 'The destination of this address can’t accept the message at the moment. Your mail server retries automatically, and notifies the sender if it gives up.',
    };
  }
  if (status === 'failed') {
    return {
      title: 'Delivery failed',
      text: 'The message left the queue undelivered. The reply below says why. Fix the cause, then ask the sender to send it again.',
    };
  }
  return {
    title: isFull(recipient) ? 'The mailbox is full' : 'Rejected by the destination',
    text: isFull(recipient)
      ? 'The mailbox behind this address has no space left, and the sender was notified. Raise its quota or ask its owner to delete mail, then ask the sender to send the message again.'
      : 'The destination of this address rejected the message, and the sender was notified. The reply below says why. Fix the cause, then ask the sender to send it again.',
  };
}

function explainRejection({ smtp_code: code, response }: Recipient): Explanation {
  const isTemporary = code !== null && code < 500;
  return {
    title: 'Your mail server rejected the message',
    text: isTemporary
      ? 'The message was not sent. The reply below describes a temporary problem. Resend once it is resolved.'
      : 'The message was not sent. The reply below says why. Change the message or fix the mail server, then resend.',
    reply: response,
    resend: 'same',
  };
}

function explainExpiry({ response }: Recipient): Explanation {
  return {
    title: 'Your mail server gave up',
    text: 'It retried until the queue lifetime ended. The last reply is below. Fix the cause, then resend.',
    reply: response,
    resend: 'same',
  };
}

function explainReport({ address, enhanced_code: code, response, mailbox_id: mailboxId }: Recipient): Explanation {
  const host = domainOf(address);
  const found = explainReply({ code, text: response }, host, mailboxId !== null);
  const about = found ? ` ${found.text}` : ' The report below says why.';
  return {
    title: `${host} accepted the message and returned it later`,
    text: `The receiving server couldn’t deliver the message to the mailbox, and sent a report.${about}`,
    reply: response,
    resend: 'other',
  };
}

function worstOf(recipients: Recipient[]): Recipient | undefined {
  return (['bounced', 'failed', 'deferred'] as const)
    .map((status) => recipients.find((recipient) => recipient.status === status))
    .find((recipient) => recipient !== undefined);
}

function explainWithoutCode({ status }: Recipient, host: string): Text {
  if (status === 'deferred') {
    return {
      title: `${host} deferred the message`,
      text: 'The receiving server did not accept the message yet. Your mail server retries automatically; no action is needed.',
    };
  }
  return {
    title: `${host} rejected the message`,
    text: 'The receiving server permanently rejected the message. Its reply below says why. Fix the cause, then resend.',
  };
}

function explainReturned(host: string): Text {
  return {
    title: `The message could not be delivered to ${host}`,
    text: 'Your mail server returned the message without a reply from the receiving server. The text below says why. Fix the cause, then resend.',
  };
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}
