import { formatDate } from '@/lib/format';
import type { Suppression } from '../schema';

/** What happened, and what to consider before the address gets mail again. */
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
