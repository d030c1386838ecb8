'use client';

import { parseAsString, useQueryState } from 'nuqs';
import { useState } from 'react';

/**
 * The operation that is open: the one in the URL, otherwise the last that was seen running. That one stays open when it is
 * finished, also if another admin started it, or this admin before leaving the page.
 */
export function useOpenOperation(runningId: string | undefined) {
  const [named, setNamed] = useQueryState('operation', parseAsString);
  const [followed, setFollowed] = useState<string | null>(null);
  const [closed, setClosed] = useState<string | null>(null);
  if (runningId && runningId !== followed) setFollowed(runningId);
  const unclosed = followed === closed ? null : followed;
  return {
    opened: named ?? unclosed,
    open: (id: string | null) => void setNamed(id),
    close: () => {
      setClosed(followed);
      void setNamed(null);
    },
  };
}
