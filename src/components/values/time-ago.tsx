'use client';

import { useSyncExternalStore } from 'react';
import { formatAgo, formatFull } from '@/lib/format';
import { useTimeZone } from './use-time-zone';

const MINUTE_MS = 60_000;

/** How long ago it was, or how soon it is, with the exact time on hover. For lists: details show a DateTime. */
export function TimeAgo({ iso }: { iso: string }) {
  useTimeZone();
  useSyncExternalStore(everyMinute, minute, () => 0);
  return (
    <time dateTime={iso} title={formatFull(iso)} suppressHydrationWarning>
      {formatAgo(iso)}
    </time>
  );
}

function minute(): number {
  return Math.floor(Date.now() / MINUTE_MS);
}

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** One timer for all times of the page. */
function everyMinute(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    for (const each of listeners) each();
  }, MINUTE_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}
