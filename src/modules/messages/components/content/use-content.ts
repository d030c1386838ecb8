import { trpc } from '@/components/api/trpc';
import type { Message } from '../../schema';

/** The content of a message, which never changes. */
export function useContent({ id, content }: Message) {
  return trpc.messages.content.useQuery(
    { id },
    { enabled: content.state === 'kept', staleTime: Number.POSITIVE_INFINITY },
  );
}

export type ContentQuery = ReturnType<typeof useContent>;
