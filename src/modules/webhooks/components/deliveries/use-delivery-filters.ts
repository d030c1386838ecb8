'use client';

import { parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { EVENT_TYPES } from '@/lib/event-types';
import { DELIVERY_STATUSES } from '../webhook-values';

const parsers = {
  status: parseAsStringLiteral(DELIVERY_STATUSES),
  event: parseAsStringLiteral(EVENT_TYPES),
  delivery: parseAsString,
  cursor: parseAsString,
};

/** The filters of the delivery list and the open delivery, kept in the URL. */
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
