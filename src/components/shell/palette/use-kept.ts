'use client';

import { useEffect, useRef } from 'react';

/** Whether items are of the words before, and what is still loading. */
type Progress = { isLate?: boolean; isLoading: boolean };

/**
 * Returns the items that were found. Until those of the present words are there, it returns the former ones that match, so that
 * nothing vanishes and comes back.
 */
export function useKept<Item>(
  items: Item[],
  { isLate = false, isLoading }: Progress,
  matches: (item: Item) => boolean = () => true,
): Item[] {
  const former = useRef<Item[]>([]);
  useEffect(() => {
    if (!isLoading) former.current = items;
  });
  const all = isLoading ? former.current : items;
  return isLate || isLoading ? all.filter(matches) : all;
}
