'use client';

import { createParser, useQueryState } from 'nuqs';
import { useState } from 'react';

type Position = {
  cursor: string;
  /** The number of the page's first row, unless the address was written by hand. */
  from?: number;
};

export type CursorHistory = {
  cursor: string | undefined;
  from: number | undefined;
  isFirst: boolean;
  /** @param shown how many rows this page has */
  forward: (next: string, shown: number) => void;
  back: () => void;
};

/** In the URL: `51~` and the cursor. */
const parseAsPosition = createParser<Position>({
  parse: (text) => {
    const [, from, cursor] = /^(\d{1,9})~(.*)$/.exec(text) ?? [];
    return from && cursor ? { cursor, from: Number(from) } : { cursor: text };
  },
  serialize: ({ cursor, from }) => (from === undefined ? cursor : `${from}~${cursor}`),
  eq: (one, other) => one.cursor === other.cursor,
});

export function useCursorHistory(): CursorHistory {
  const [position, setPosition] = useQueryState('cursor', parseAsPosition.withOptions({ history: 'push' }));
  const [trail, setTrail] = useState<(Position | null)[]>([]);
  const isFirst = position === null;
  const from = isFirst ? 1 : position.from;
  const at = trail.findIndex((passed) => passed?.cursor === position?.cursor);
  const passed = at === -1 ? trail : trail.slice(0, at);
  return {
    cursor: position?.cursor,
    from,
    isFirst,
    forward: (next, shown) => {
      setTrail([...passed, position]);
      void setPosition({ cursor: next, from: from && from + shown });
    },
    back: () => {
      void setPosition(passed.at(-1) ?? null);
      setTrail(passed.slice(0, -1));
    },
  };
}
