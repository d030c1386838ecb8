'use client';

import { trpc } from '@/components/api/trpc';
import type { Delivery } from '../../schema';

const RETRY_MS = 5_000;

/** The delivery with its request and full responses; a list has only the first line of each response. */
export function useFullDelivery(delivery: Delivery) {
  return trpc.webhooks.delivery.useQuery(
    { id: delivery.webhook_id, delivery_id: delivery.id },
    {
      // The response to an attempt never changes, so this only loads attempts it doesn't have yet.
      enabled: ({ state }) => state.data === undefined || lastNumber(state.data) < lastNumber(delivery),
      staleTime: 0,
      refetchInterval: RETRY_MS,
    },
  );
}

function lastNumber({ attempts }: Delivery): number {
  return attempts.at(-1)?.number ?? 0;
}
