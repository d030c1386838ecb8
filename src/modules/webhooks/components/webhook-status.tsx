import { StatusMark } from '@/components/marks/status-mark';
import { formatCount, formatFull } from '@/lib/format';
import type { Webhook } from '../schema';
import { isFailing, sinceOf } from './webhook-values';

type WebhookStatusProps = { webhook: Webhook; isShort?: boolean };

export function WebhookStatus({ webhook, isShort }: WebhookStatusProps) {
  const { active, failures_in_row: failures, failing_since: since } = webhook;
  if (!active) return <StatusMark status="off" />;
  if (!isFailing(webhook)) return <StatusMark status="on" />;
  return (
    <span title={since ? `${formatCount(failures)} failed attempts in a row since ${formatFull(since)}` : undefined}>
      <StatusMark status="failed">
        {isShort ? 'Failing' : `${formatCount(failures)} failed${failures > 1 ? ' in a row' : ''}${sinceOf(webhook)}`}
      </StatusMark>
    </span>
  );
}
