import type { WebHeaders } from './fetch-adapter';

/** How many requests of a client address came in the current window, and when the window ends. */
export type RequestCount = { count: number; resetMs: number };

/** The header in which the HTTP server passes its count on to the app. The front drops it from what clients send. */
export const REQUEST_COUNT_HEADER = 'x-postroom-request-count';

export function formatRequestCount({ count, resetMs }: RequestCount): string {
  return `${count} ${resetMs}`;
}

export function readRequestCount(headers: WebHeaders): RequestCount | null {
  const text = headers.get(REQUEST_COUNT_HEADER);
  if (text === null) return null;
  const [count = 0, resetMs = 0] = text.split(' ').map(Number);
  return { count, resetMs };
}
