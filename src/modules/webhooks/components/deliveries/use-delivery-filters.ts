'use client';

import { parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { EVENT_TYPES } from '@/lib/event-types';
import { DELIVERY_STATES } from '../webhook-values';

const parsers = {
  status: parseAsStringLiteral(DELIVERY_STATES),
  event: parseAsStringLiteral(EVENT_TYPES),
  delivery: parseAsString,
  cursor: parseAsString,
};

/** What of the deliveries is listed, and which one is open. */
export function useDeliveryFilters() {
  const [filters, setFilters] = useQueryStates(parsers);
  return {
    filters,
    change: (values: Parameters<typeof setFilters>[0] & object) => void setFilters({ cursor: null, ...values }),
    open: (delivery: string | null) => void setFilters({ delivery }),
    clear: () => void setFilters({ status: null, event: null, cursor: null }),
    isFiltered: filters.status !== null || filters.event !== null,
    input: { status: filters.status ?? undefined, event: filters.event ?? undefined },
  };
}

export type DeliveryFilters = ReturnType<typeof useDeliveryFilters>;
