import { useSyncExternalStore } from 'react';

/** A condition of the whole browser tab that components follow with `useFlag`. */
export function createFlag() {
  const listeners = new Set<() => void>();
  let isRaised = false;
  const get = () => isRaised;
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  const set = (next: boolean) => {
    if (isRaised === next) return;
    isRaised = next;
    for (const listener of listeners) listener();
  };
  const useFlag = () => useSyncExternalStore(subscribe, get, () => false);
  return { get, set, useFlag };
}
