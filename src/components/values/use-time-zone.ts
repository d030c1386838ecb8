'use client';

import { useSyncExternalStore } from 'react';
import { currentPage } from '@/lib/page-request';
import { chooseTimeZone, currentTimeZone, TIME_ZONE_COOKIE } from '@/lib/time/time-zone';

const YEAR_SECONDS = 365 * 24 * 60 * 60;

let zone = typeof document === 'undefined' ? undefined : zoneOf(document.cookie);
const listeners = new Set<() => void>();

if (zone) chooseTimeZone(zone);

/**
 * The zone that times are shown in, undefined until it is known. A component that calls it shows times again when the zone
 * changes.
 */
export function useTimeZone(): string | undefined {
  return useSyncExternalStore(
    subscribe,
    () => zone,
    () => currentPage()?.timeZone ?? zone,
  );
}

/** Takes the zone of the profile when it is loaded or changed, null for the browser's. */
export function setTimeZone(chosen: string | null): void {
  chooseTimeZone(chosen);
  const next = currentTimeZone();
  if (next === zone) return;
  zone = next;
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API needs HTTPS
  document.cookie = `${TIME_ZONE_COOKIE}=${next}; Path=/; Max-Age=${YEAR_SECONDS}; SameSite=Lax`;
  for (const listener of listeners) listener();
}

function zoneOf(cookies: string): string | undefined {
  const cookie = cookies.split('; ').find((each) => each.startsWith(`${TIME_ZONE_COOKIE}=`));
  return cookie?.slice(TIME_ZONE_COOKIE.length + 1);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
