'use client';

import { trpc } from '@/components/api/trpc';
import type { Delivery } from '../../schema';

const ASK_AGAIN_MS = 5_000;

/** The delivery with its request and with whole answers, of which a list has only the first lines. */
export function useWholeDelivery(delivery: Delivery) {
  return trpc.webhooks.delivery.useQuery(
    { id: delivery.webhook_id, delivery_id: delivery.id },
    {
      // What an attempt was answered does not change: it asks only for attempts that it does not have.
      enabled: ({ state }) => state.data === undefined || lastNumber(state.data) < lastNumber(delivery),
      staleTime: 0,
      refetchInterval: ASK_AGAIN_MS,
    },
  );
}

function lastNumber({ attempts }: Delivery): number {
  return attempts.at(-1)?.number ?? 0;
}
