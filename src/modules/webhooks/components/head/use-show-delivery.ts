'use client';

import { parseAsString, useQueryStates } from 'nuqs';
import { confirmLeave } from '@/components/dialogs/navigation-guard';

const parsers = {
  tab: parseAsString,
  status: parseAsString,
  event: parseAsString,
  cursor: parseAsString,
  delivery: parseAsString,
};

/** Opens a new delivery. It is first in the list, so filters and the page position are cleared. */
export function useShowDelivery() {
  const [, setState] = useQueryStates(parsers);
  return (delivery: string) =>
    confirmLeave(() => void setState({ tab: null, status: null, event: null, cursor: null, delivery }));
}
