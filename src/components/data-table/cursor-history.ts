'use client';

import { createParser, useQueryState } from 'nuqs';
import { useState } from 'react';

type Position = {
  cursor: string;
  /** The number of the page's first row, unless the address was written by hand. */
  from?: number;
  /** When the list began, in minutes: a cursor belongs to its filters, and a period up to now is another one later. */
  minute?: number;
};

export type CursorHistory = {
  cursor: string | undefined;
  from: number | undefined;
  isFirst: boolean;
  /** Up to when a period reaches: a whole minute, in milliseconds, the same on all pages. */
  now: number;
  /** @param shown how many rows this page has */
  forward: (next: string, shown: number) => void;
  back: () => void;
};

const MINUTE_MS = 60_000;

/** In the URL: `51~29401234~` and the cursor. */
const parseAsPosition = createParser<Position>({
  parse: (text) => {
    const [, from, minute, cursor] = /^(\d{1,9})~(?:(\d{1,9})~)?(.*)$/.exec(text) ?? [];
    if (!from || !cursor) return { cursor: text };
    return { cursor, from: Number(from), minute: minute === undefined ? undefined : Number(minute) };
  },
  serialize: ({ cursor, from, minute }) => [from, minute, cursor].filter((part) => part !== undefined).join('~'),
  eq: (one, other) => one.cursor === other.cursor,
});

export function useCursorHistory(): CursorHistory {
  const [position, setPosition] = useQueryState('cursor', parseAsPosition.withOptions({ history: 'push' }));
  const [trail, setTrail] = useState<(Position | null)[]>([]);
  const isFirst = position === null;
  const from = isFirst ? 1 : position.from;
  const minute = position?.minute ?? Math.floor(Date.now() / MINUTE_MS);
  const at = trail.findIndex((passed) => passed?.cursor === position?.cursor);
  const passed = at === -1 ? trail : trail.slice(0, at);
  return {
    cursor: position?.cursor,
    from,
    isFirst,
    now: minute * MINUTE_MS,
    forward: (next, shown) => {
      setTrail([...passed, position]);
      void setPosition({ cursor: next, from: from && from + shown, minute: from && minute });
    },
    back: () => {
      void setPosition(passed.at(-1) ?? null);
      setTrail(passed.slice(0, -1));
    },
  };
}
