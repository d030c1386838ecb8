import type { Alert } from '../schema';

const STEPS: [string, string][] = [
  ['/mailboxes/', 'Review mailbox'],
  ['/webhooks/', 'Review deliveries'],
  ['/domains/', 'Fix the records'],
  ['/system/health', 'Review health'],
];

/** The page that helps with an alert, and the words for its link; null without one. @param path the page of the alert's subject */
export function nextStep(alert: Pick<Alert, 'kind' | 'subject' | 'domain_id'>, path: string | null) {
  if (path && alert.kind === 'mailbox_suspended') return { href: `${path}/misuse`, label: 'Check for misuse' };
  const label = STEPS.find(([start]) => path?.startsWith(start))?.[1];
  if (path && label) return { href: path, label };
  if (alert.kind !== 'rate_limited' && alert.kind !== 'volume_spike') return null;
  const [name, value] = alert.subject.includes('@') ? ['from', alert.subject] : ['domain', alert.domain_id ?? ''];
  const href = `/messages?${new URLSearchParams([
    [name, value],
    ['direction', 'outbound'],
  ])}`;
  return { href, label: 'Review messages' };
}
