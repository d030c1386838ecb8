import { formatCount, formatPlural, formatShare } from '@/lib/format';
import { isManyBounces } from '@/lib/texts/figure-texts';
import type { Mailbox, MailboxSignIns, SentLately } from '../../schema';

/** Fewer are no sign, however few are usual. */
const MANY_MESSAGES = 20;
const MANY_RECIPIENTS = 200;
const TIMES_USUAL = 5;

type Suspension = Pick<Mailbox, 'suspended' | 'suspension_reason' | 'suspension_note'>;

/** Returns the signs of misuse in what a mailbox sent, and in who edits its filters: one sentence with figures for each. */
export function misuseSigns(mailbox: Suspension, sent: SentLately, signIns: MailboxSignIns['sign_ins']): string[] {
  const { messages, recipients, undelivered, new_client_addresses: addresses } = sent;
  const { usual_per_day: usual, usual_recipients_per_day: usualRecipients } = sent;
  const signs: string[] = [];
  if (mailbox.suspended && mailbox.suspension_reason === 'rate_limit') {
    signs.push(mailbox.suspension_note || 'The mailbox reached its hourly limit.');
  }
  if (messages >= MANY_MESSAGES && messages > TIMES_USUAL * usual) {
    signs.push(`${formatPlural(messages, 'message')}, usually ${usualText(usual)}.`);
  } else if (recipients >= MANY_RECIPIENTS && recipients > TIMES_USUAL * usualRecipients) {
    signs.push(
      `${formatPlural(messages, 'message')} to ${formatPlural(recipients, 'recipient')}, usually to ${usualText(usualRecipients)}.`,
    );
  }
  if (isManyBounces({ bounced: undelivered, sent: recipients })) {
    const share = formatShare(undelivered, recipients);
    signs.push(`${formatCount(undelivered)} of ${formatPlural(recipients, 'recipient')} bounced or failed (${share}).`);
  }
  if (addresses.length > 0) {
    signs.push(`Sent from ${listed(addresses)}, which it didn’t send from in the week before.`);
  }
  const editors = signIns.filter(({ protocol, first_at }) => protocol === 'sieve' && first_at > sent.since);
  if (editors.length > 0) {
    const from = listed(editors.map(({ client_address: address }) => address ?? 'this host'));
    signs.push(`Signed in from ${from} to edit filters, for the first time in 30 days.`);
  }
  if (sent.sign_ins_blocked_at) signs.push('Sign-ins were blocked after many different wrong passwords.');
  return signs;
}

/** The same figures while nothing is unusual. */
export function usualFigures({ messages, recipients, undelivered, usual_per_day: usual, sources }: SentLately): string {
  if (messages === 0) return `No messages, usually ${usualText(usual)}. No blocked sign-ins.`;
  const isByMailProgram = sources.some(({ client_address: address }) => address !== null);
  return [
    `${formatPlural(messages, 'message')}, usually ${usualText(usual)}.`,
    `${formatCount(undelivered)} of ${formatPlural(recipients, 'recipient')} bounced or failed.`,
    `${isByMailProgram ? 'No new addresses of mail programs, and no' : 'No'} blocked sign-ins.`,
  ].join(' ');
}

export function usualText(perDay: number): string {
  if (perDay === 0) return 'none';
  return `${perDay < 10 ? perDay : formatCount(Math.round(perDay))} a day`;
}

const MAX_NAMED = 3;

function listed(addresses: string[]): string {
  const more = addresses.length - MAX_NAMED;
  return addresses.slice(0, MAX_NAMED).join(', ') + (more > 0 ? ` and ${formatCount(more)} more` : '');
}
