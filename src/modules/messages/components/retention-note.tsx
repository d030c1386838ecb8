'use client';

import { Text } from '@mantine/core';
import { trpc } from '@/components/api/trpc';
import { useHasRole } from '@/components/shell/use-has-role';
import { formatCount, formatMoment, formatPlural } from '@/lib/format';
import type { MessageRetention } from '../retention/schema';

const REFRESH_MS = 60_000;

/** How long messages are kept and, for a super_admin, what the current or last run has deleted. */
export function RetentionNote() {
  const { data: kept } = trpc.messages.keptDays.useQuery({}, { staleTime: Number.POSITIVE_INFINITY });
  const { data: retention } = trpc.messages.retention.useQuery(
    {},
    { enabled: useHasRole('super_admin'), refetchInterval: REFRESH_MS },
  );
  if (!kept) return null;
  return (
    <Text className="soft" size="sm" pt="md" suppressHydrationWarning>
      {kept.kept_days === 0
        ? 'Messages are kept forever.'
        : `Messages are kept ${formatPlural(kept.kept_days, 'day')}.`}
      {retention && ` ${describeRun(retention)}`}
    </Text>
  );
}

function describeRun({ status, deleted, deleted_until: until, finished_at: finishedAt }: MessageRetention): string {
  if (status === 'running') {
    return `Deleting old ones: ${formatCount(deleted)} so far${until ? `, up to ${formatMoment(until)}` : ''}.`;
  }
  if (status === 'failing') return 'The last attempt to delete old ones failed and is being retried.';
  if (status === 'off' || !finishedAt || deleted === 0) return '';
  return `${formatPlural(deleted, 'old message')} deleted ${formatMoment(finishedAt)}.`;
}
