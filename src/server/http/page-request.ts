import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type PageRequest, provideCurrentPage } from '@/lib/page-request';
import { listedTimeZone, TIME_ZONE_COOKIE } from '@/lib/time/time-zone';
import { toResponse, type WebHandler } from './fetch-adapter';

// Then the page goes out without what is still missing, and the browser asks for it.
const DATA_DEADLINE_MS = 300;
const CONSOLE_API = '/api/trpc/';
const BASE = 'http://localhost';
const COOKIE = new RegExp(`(?:^|; )${TIME_ZONE_COOKIE}=([\\w+/-]+)`);
const PASSED_ON = /^(cookie|user-agent|x-postroom-.*)$/;

const pages = new AsyncLocalStorage<PageRequest>();
provideCurrentPage(() => pages.getStore());

/**
 * Renders a page with the data that its admin may see. The browser names the time zone in a cookie; without it, the page is
 * rendered without data. So is what Next.js loads for the next page.
 */
export function renderWithData(
  request: IncomingMessage,
  response: ServerResponse,
  consoleApi: WebHandler | undefined,
  render: () => Promise<void>,
): Promise<void> {
  const timeZone = timeZoneOf(request);
  if (!consoleApi || !timeZone || (request.headers['sec-fetch-dest'] ?? 'document') !== 'document') return render();
  const setNotFound = () => {
    response.statusCode = 404;
  };
  return pages.run({ timeZone, call: callerFor(request, consoleApi), setNotFound }, render);
}

function timeZoneOf({ headers }: IncomingMessage): string | null {
  const [, zone] = headers.cookie?.match(COOKIE) ?? [];
  return zone === undefined ? null : listedTimeZone(zone);
}

function callerFor(request: IncomingMessage, consoleApi: WebHandler): PageRequest['call'] {
  const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
    PASSED_ON.test(name) && typeof value === 'string' ? [[name, value]] : [],
  );
  const deadline = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error('the data takes too long')), DATA_DEADLINE_MS).unref();
  });
  deadline.catch(() => {});
  return async (url, init) => {
    const { pathname, search } = new URL(url, BASE);
    if (!pathname.startsWith(CONSOLE_API)) throw new Error(`${pathname} is not of the console’s API`);
    const answer = consoleApi(new Request(`${BASE}${pathname}${search}`, { ...init, headers }));
    return toResponse(await Promise.race([answer, deadline]));
  };
}
