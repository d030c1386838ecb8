'use client';

import { useSyncExternalStore } from 'react';
import { chooseTimeZone } from '@/lib/time/time-zone';

/** The zone of the admin's profile, as this browser last knew it. */
const STORED = 'postroom-time-zone';

/** Null for the browser's zone, undefined until the profile is known. */
type Zone = string | null | undefined;

let zone: Zone;
const listeners = new Set<() => void>();

if (typeof window !== 'undefined') use(stored());

/** The zone that times are shown in. A component that calls it shows times again when the zone changes. */
export function useTimeZone(): Zone {
  return useSyncExternalStore(
    subscribe,
    () => zone,
    () => undefined,
  );
}

/** Takes the zone of the profile, when it is loaded or changed. */
export function setTimeZone(next: string | null): void {
  if (next === zone) return;
  use(next);
  try {
    localStorage.setItem(STORED, JSON.stringify(next));
  } catch {
    // A browser that stores nothing knows it from the profile.
  }
  for (const listener of listeners) listener();
}

function use(next: Zone): void {
  zone = next;
  chooseTimeZone(next ?? null);
}

function stored(): Zone {
  try {
    const value = JSON.parse(localStorage.getItem(STORED) ?? 'false');
    return value === null || typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
