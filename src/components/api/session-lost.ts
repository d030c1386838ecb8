import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
let isLost = false;

export function reportSessionLost(): void {
  set(true);
}

export function reportSessionRegained(): void {
  set(false);
}

export function useSessionLost(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => isLost,
    () => false,
  );
}

function set(value: boolean): void {
  if (isLost === value) return;
  isLost = value;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
