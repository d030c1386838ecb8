import { validate } from 'uuid';
import { NoSuchRecord } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import type { Message } from '../schema';

const REFRESH_MS = 10_000;
const REFRESH_PENDING_MS = 2_000;

/** A message with its trace; refetched more often while a recipient has no result yet, or the content is being stored. */
export function useMessage(id: string) {
  const isId = validate(id);
  const query = trpc.messages.get.useQuery(
    { id },
    { enabled: isId, refetchInterval: ({ state }) => refreshMs(state.data) },
  );
  return isId ? query : { ...query, isError: true, error: new NoSuchRecord('message') };
}

function refreshMs(message: Message | undefined): number {
  const isPending =
    message?.content.state === 'pending' ||
    message?.recipients.some(({ status }) => status === 'submitting' || status === 'sent');
  return isPending ? REFRESH_PENDING_MS : REFRESH_MS;
}
