import { trpc } from '@/components/api/trpc';
import { ErrorState } from '@/components/data-table/states';
import { Figures } from '@/components/layout/figures';
import type { AbuseSummary } from '../schema';

const REFRESH_MS = 30_000;

const FIGURES: [keyof AbuseSummary, string, string][] = [
  ['sent_last_hour', 'Last hour', 'messages sent'],
  ['sent_last_24h', '24 hours', 'messages sent'],
  ['limited_last_24h', 'Over limit', 'rejected in 24 hours'],
  ['suspended_mailboxes', 'Suspended', 'mailboxes'],
];

export function AbuseFigures() {
  const { data, error, isError, refetch } = trpc.abuse.summary.useQuery({}, { refetchInterval: REFRESH_MS });
  if (isError && !data) return <ErrorState what="the summary" error={error} onRetry={() => void refetch()} />;
  return <Figures figures={FIGURES.map(([key, title, caption]) => ({ key, title, caption, value: data?.[key] }))} />;
}
