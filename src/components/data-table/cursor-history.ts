'use client';

import { parseAsString, useQueryState } from 'nuqs';
import { useState } from 'react';

export type CursorHistory = {
  cursor: string | undefined;
  isFirst: boolean;
  forward: (next: string) => void;
  back: () => void;
};

export function useCursorHistory(): CursorHistory {
  const [cursor, setCursor] = useQueryState('cursor', parseAsString.withOptions({ history: 'push' }));
  const [trail, setTrail] = useState<(string | null)[]>([]);
  const isFirst = cursor === null;
  const passed = trail.includes(cursor) ? trail.slice(0, trail.indexOf(cursor)) : trail;
  return {
    cursor: cursor ?? undefined,
    isFirst,
    forward: (next) => {
      setTrail([...passed, cursor]);
      void setCursor(next);
    },
    back: () => {
      void setCursor(passed.at(-1) ?? null);
      setTrail(passed.slice(0, -1));
    },
  };
}
