'use client';

import { parseAsString, parseAsStringLiteral } from 'nuqs';
import { RANGE } from '@/components/list/since';
import { useListSearch } from '@/components/list/use-list-search';
import { EVENT_TYPES } from '@/lib/event-types';
import { DELIVERY_STATUSES } from '../webhook-values';

const SEARCH = {
  filters: { status: parseAsStringLiteral(DELIVERY_STATUSES), event: parseAsStringLiteral(EVENT_TYPES), ...RANGE },
  view: { delivery: parseAsString },
  resets: { delivery: null },
};

/** The filters of the delivery list and the open delivery, kept in the URL. */
export function useDeliverySearch() {
  return useListSearch(SEARCH);
}

export type DeliverySearch = ReturnType<typeof useDeliverySearch>;
