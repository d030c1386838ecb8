import { formatCount, formatDate } from '@/lib/format';
import { SUPPRESSION_LABELS, SUPPRESSION_REASONS } from '@/lib/mail/suppression';
import type { Suppression } from '../schema';

/** The reply without what the row says anyway: its first code, which the enhanced one repeats, the address, and that it was rejected. */
export function briefDetail({ email, detail }: Pick<Suppression, 'email' | 'detail'>): string {
  const reply = detail.replace(REPLY_CODE, '').replace(`<${email}>: `, '');
  return reply.replace('Recipient address rejected: ', '');
}

const REPLY_CODE = /^\d{3}[ -](?=\d\.\d{1,3}\.\d{1,3} )/;

/** The reasons of several suppressions with how many have each, and what to consider before they get mail again. */
export function warningOfAll(suppressions: Suppression[]): string {
  const counts = SUPPRESSION_REASONS.flatMap((reason) => {
    const count = suppressions.filter((each) => each.reason === reason).length;
    return count > 0 ? [`${SUPPRESSION_LABELS[reason].toLowerCase()}: ${formatCount(count)}`] : [];
  });
  const text = counts.join(', ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}. ${CONSIDER}`;
}

const CONSIDER =
  'Addresses that still don’t exist bounce and are suppressed again. More bounces and reports of spam make receiving servers reject your other mail, too.';

/** Returns what happened, and what to consider before the address gets mail again. */
export function warningOf({ reason, created_at: at }: Suppression): string {
  const on = formatDate(at);
  const warnings: Record<Suppression['reason'], string> = {
    bounce: `On ${on}, the receiving server answered that this address doesn’t exist. If it still doesn’t, the next message bounces and suppresses it again. Many bounces make receiving servers reject your other mail, too.`,
    complaint: `Suppressed on ${on} because the recipient reported mail as spam. More reports make receiving servers reject your other mail, too.`,
    unsubscribe: `Suppressed on ${on} because the recipient unsubscribed. Delete this only if they asked for your mail again.`,
    manual: `Added by hand on ${on}.`,
  };
  return warnings[reason];
}
