'use client';

import { type Nullable, useQueryStates, type Values } from 'nuqs';

type Parsers = Parameters<typeof useQueryStates>[0];

/** Keeps in the URL what a page shows. Each choice is an entry of the browser's history: Back undoes it, and closes what is open. */
export function useUrlState<Keys extends Parsers>(parsers: Keys) {
  type Changes = Partial<Nullable<Values<Keys>>>;
  const [values, setValues] = useQueryStates(parsers);
  const set = (changes: Changes, history: 'push' | 'replace') =>
    void setValues(changes as Parameters<typeof setValues>[0], { history });
  const current = values as Record<string, unknown>;
  const unset = (name: string) => parsers[name]?.defaultValue ?? null;

  /** While a text is typed, it has one entry. */
  function choose(changes: Changes): void {
    const [name, ...others] = Object.keys(changes).filter((key) => current[key] !== (changes[key] ?? unset(key)));
    if (name === undefined) return;
    const isTyping = others.length === 0 && unset(name) === '' && current[name] !== '';
    set(changes, isTyping ? 'replace' : 'push');
  }

  /** Opens or closes a row or a dialog. Another row takes the entry of the open one, and so does closing. */
  function open(changes: Changes): void {
    const wasOpen = Object.keys(changes).some((name) => current[name] !== unset(name));
    set(changes, wasOpen ? 'replace' : 'push');
  }

  return { values, choose, open };
}
