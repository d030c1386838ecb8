import { formatCount } from '@/lib/format';
import type { AttentionItem, Overview } from '../schema';

type TroubledSender = Overview['troubled_senders'][number];

/** A mailbox that a limit suspended, what became of its messages, and the alerts that its messages raised. */
export type Incident = { mailbox: AttentionItem; sender: TroubledSender; alerts: AttentionItem[] };

/** Alerts of the same messages are raised before the limit is reached. */
const SAME_INCIDENT_MS = 2 * 3_600_000;

export function findIncidents({ troubled_senders: senders }: Overview, items: AttentionItem[]): Incident[] {
  return items.flatMap((mailbox) => {
    const sender = senders.find(({ sender: address }) => address === mailbox.subject);
    if (mailbox.kind !== 'mailbox_suspended' || !sender) return [];
    return [{ mailbox, sender, alerts: items.filter((item) => isRaisedBy(item, mailbox)) }];
  });
}

/** Whether an alert is about the volume of the mailbox or of its domain, when it was suspended. */
function isRaisedBy({ kind, subject, at }: AttentionItem, mailbox: AttentionItem): boolean {
  if (kind !== 'volume_spike' && kind !== 'rate_limited') return false;
  if (at === null || mailbox.at === null) return false;
  const isAbout = subject === mailbox.subject || mailbox.subject.endsWith(`@${subject}`);
  return isAbout && Math.abs(Date.parse(at) - Date.parse(mailbox.at)) <= SAME_INCIDENT_MS;
}

/** The reason of the suspension, followed by figures such as "128 bounced, 34 failed, 9 in the queue." */
export function incidentText({ mailbox, sender: { bounced, failed, deferred } }: Incident): string {
  const parts = [
    bounced > 0 && `${formatCount(bounced)} bounced`,
    failed > 0 && `${formatCount(failed)} failed`,
    deferred > 0 && `${formatCount(deferred)} in the queue`,
  ].filter((part) => part !== false);
  return `${mailbox.reason} ${parts.join(', ')}.`;
}
