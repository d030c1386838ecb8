import { formatClock, formatZone } from '@/lib/format';
import { isSlowSubmission, UNCONFIRMED_AFTER_MS } from '@/lib/mail/slow-submission';
import type { Message } from '../../schema';

type Text = { title: string; text: string; isWarning?: boolean };
type Recipients = Message['recipients'];

/** Explains what a message without a failed or deferred recipient waits for, or how it ended. */
export function explainProgress(message: Message, now = new Date()): Text {
  const { status, direction, recipients, events, send_at: sendAt } = message;
  if (isSlowSubmission(message, now)) return explainSlow(sendAt ?? message.created_at);
  if (status === 'uncertain') return explainUncertain(events);
  if (status === 'scheduled' && sendAt === null) return HELD;
  if (status === 'spam') return isStopped(recipients) ? STOPPED_AS_SPAM : MARKED_AS_SPAM;
  if (direction === 'inbound' && status === 'received') return explainReceived(recipients);
  return TEXTS[status];
}

function explainSlow(submittedAt: string): Text {
  const until = formatClock(new Date(Date.parse(submittedAt) + UNCONFIRMED_AFTER_MS).toISOString());
  return {
    title: 'Still on its way to your mail server',
    text: `This takes unusually long: your mail server hasn’t replied yet. Without a reply, the status becomes unconfirmed after ${until} ${formatZone()}. Don’t resend the message before then.`,
    isWarning: true,
  };
}

const TEXTS: Record<Exclude<Message['status'], 'uncertain'>, Text> = {
  submitting: {
    title: 'On its way to your mail server',
    text: 'Postroom is submitting the message. Your mail server usually replies within seconds. No action is needed.',
  },
  sent: {
    title: 'Waiting for the receiving server',
    text: 'Your mail server accepted the message and is delivering it. The status changes once the receiving server replies. No action is needed.',
  },
  delivered: {
    title: 'The receiving server accepted the message',
    text: 'If a recipient can’t find it, ask them to look in their spam folder. Then check the domain’s DNS records, which decide where receiving servers put mail.',
  },
  received: {
    title: 'Received',
    text: 'Your mail server accepted the message for this domain. The trace shows where it went.',
  },
  spam: {
    title: 'Spam',
    text: 'The spam filter recognized the message as spam. The trace shows its verdict.',
  },
  deferred: {
    title: 'Not delivered yet',
    text: 'A server deferred the message, and your mail server retries automatically. The trace shows the reply. No action is needed.',
  },
  bounced: {
    title: 'Rejected by the receiving server',
    text: 'The receiving server permanently rejected the message. The trace shows its reply. Fix the cause, then resend.',
  },
  failed: {
    title: 'Not delivered',
    text: 'Your mail server did not deliver the message. The trace shows why. Fix the cause, then resend.',
  },
  scheduled: {
    title: 'Scheduled',
    text: 'Postroom sends the message at its time, and then checks limits, suppressions and the API key. Until then you can reschedule or cancel it.',
  },
  cancelled: {
    title: 'Cancelled',
    text: 'An admin or a program cancelled the message before it left. Its content was deleted, and no recipient got it.',
  },
};

function explainUncertain(events: Message['events']): Text {
  const reason = events.findLast(({ type }) => type === 'uncertain')?.detail.reason ?? NOT_CONFIRMED;
  return {
    title: 'Unconfirmed: the message may have been sent',
    text: `${reason.replace(/\.?$/, '.')} Postroom keeps looking in the mail server’s log, and updates this status once it shows what happened. Resending before then may deliver the message twice.`,
  };
}

const NOT_CONFIRMED = 'Your mail server did not confirm the message';

const HELD: Text = {
  title: 'Held: a backup was restored',
  text: 'The message was scheduled when the backup was made, and may have been sent since. Reschedule it to send it, or cancel it.',
};

const MARKED_AS_SPAM: Text = {
  title: 'Marked as spam, and delivered',
  text: 'The spam filter found the message suspicious. It is in the mailbox, where mail programs file it as spam. If it was wanted, its reader can move it out of the spam folder.',
};

const STOPPED_AS_SPAM: Text = {
  title: 'Stopped by the spam filter',
  text: 'The message’s spam score reached the limit, so no mailbox received it. If it was wanted, ask the sender to check their DNS records and the content of the message, and to send it again.',
};

function isStopped(recipients: Recipients): boolean {
  return recipients.length > 0 && recipients.every(({ route }) => route === 'filter');
}

function explainReceived(recipients: Recipients): Text {
  const routes = new Set(recipients.map(({ route }) => route));
  if (routes.has('mailbox')) {
    return {
      title: routes.has('forwarded') ? 'Delivered and forwarded' : 'Delivered to the mailbox',
      text: 'The message is in the mailbox unless a filter or a mail program has moved it. If its reader can’t find it, check the Sieve filters.',
    };
  }
  if (routes.has('forwarded')) {
    return {
      title: 'Forwarded by an alias',
      text: 'The message went on to an external address, which the trace names. If it doesn’t arrive there, check the alias and ask the destination’s mail server.',
    };
  }
  if (routes.has('reports')) {
    return {
      title: 'Read as a report',
      text: 'Postroom reads mail to this address as DMARC or TLS reports and puts it in no mailbox. The Reports tab of the domain shows the results.',
    };
  }
  return TEXTS.received;
}
