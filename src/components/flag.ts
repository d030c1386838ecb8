import { useSyncExternalStore } from 'react';

/** A value of the whole browser tab that components follow with `useValue`. The server renders with the first value. */
export function createStore<Value>(first: Value) {
  const listeners = new Set<() => void>();
  let current = first;
  const get = () => current;
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  const set = (next: Value) => {
    if (current === next) return;
    current = next;
    for (const listener of listeners) listener();
  };
  const useValue = () => useSyncExternalStore(subscribe, get, () => first);
  return { get, set, useValue };
}

/** A condition of the whole browser tab that components follow with `useFlag`. */
export function createFlag() {
  const { get, set, useValue } = createStore(false);
  return { get, set, useFlag: useValue };
}
