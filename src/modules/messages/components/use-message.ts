import { trpc } from '@/components/api/trpc';
import type { Message } from '../schema';

const REFRESH_MS = 10_000;
const REFRESH_UNDER_WAY_MS = 2_000;

/** A message and its trace, kept fresh: quickly while the other side of some recipient has not answered yet. */
export function useMessage(id: string) {
  return trpc.messages.get.useQuery({ id }, { refetchInterval: ({ state }) => pace(state.data) });
}

function pace(message: Message | undefined): number {
  const isUnderWay = message?.recipients.some(({ status }) => status === 'submitting' || status === 'sent');
  return isUnderWay ? REFRESH_UNDER_WAY_MS : REFRESH_MS;
}
