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

/** Leads to a delivery that was just made: the first of all, so that filters and pages end. */
export function useTestedDelivery() {
  const [, setState] = useQueryStates(parsers);
  return (delivery: string) =>
    confirmLeave(() => void setState({ tab: null, status: null, event: null, cursor: null, delivery }));
}
