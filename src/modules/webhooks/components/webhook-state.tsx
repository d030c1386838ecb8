import { StatusMark } from '@/components/marks/status-mark';
import { formatCount, formatFull } from '@/lib/format';
import type { Webhook } from '../schema';
import { isFailing, sinceOf } from './webhook-values';

type WebhookStateProps = { webhook: Webhook; isShort?: boolean };

export function WebhookState({ webhook, isShort }: WebhookStateProps) {
  const { active, failures_in_row: failures, failing_since: since } = webhook;
  if (!active) return <StatusMark status="off">Off</StatusMark>;
  if (!isFailing(webhook)) return <StatusMark status="on">On</StatusMark>;
  return (
    <span title={since ? `${formatCount(failures)} attempts in a row failed since ${formatFull(since)}` : undefined}>
      <StatusMark status="failed">
        Failing
        <span className="hide-on-mobile">
          , {formatCount(failures)}
          {!isShort && ' in a row'}
          {sinceOf(webhook)}
        </span>
      </StatusMark>
    </span>
  );
}
