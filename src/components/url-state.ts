'use client';

import { type Nullable, useQueryStates, type Values } from 'nuqs';
import { useEffect, useRef } from 'react';

type Parsers = Parameters<typeof useQueryStates>[0];

/** Keeps in the URL what a page shows. Each choice is an entry of the browser's history: Back undoes it, and closes what is open. */
export function useUrlState<Keys extends Parsers>(parsers: Keys) {
  type Changes = Partial<Nullable<Values<Keys>>>;
  const [values, setValues] = useQueryStates(parsers);
  // On a slow device, the next key is pressed before the values that were set are rendered.
  const latest = useRef<Record<string, unknown>>(values);
  useEffect(() => {
    latest.current = values;
  }, [values]);
  const chosen = useRef(new Set<string>());
  const unset = (name: string) => parsers[name]?.defaultValue ?? null;

  function set(changes: Changes, history: 'push' | 'replace'): void {
    const entries = Object.entries(changes).map(([name, value]) => [name, value ?? unset(name)]);
    latest.current = { ...latest.current, ...Object.fromEntries(entries) };
    // All that was chosen here is set again, because Next.js puts an older URL back when it renders a change late, and nuqs adds to
    // the URL that it finds.
    for (const name of Object.keys(changes)) chosen.current.add(name);
    const again = Object.fromEntries([...chosen.current].map((name) => [name, latest.current[name]]));
    void setValues(again as Parameters<typeof setValues>[0], { history });
  }

  /** While a text is typed, it has one entry. */
  function choose(changes: Changes): void {
    const [name, ...others] = Object.keys(changes).filter(
      (key) => latest.current[key] !== (changes[key] ?? unset(key)),
    );
    if (name === undefined) return;
    const isTyping = others.length === 0 && unset(name) === '' && latest.current[name] !== '';
    set(changes, isTyping ? 'replace' : 'push');
  }

  /** Opens or closes a row or a dialog. Another row takes the entry of the open one, and so does closing. */
  function open(changes: Changes): void {
    const wasOpen = Object.keys(changes).some((name) => latest.current[name] !== unset(name));
    set(changes, wasOpen ? 'replace' : 'push');
  }

  return { values, choose, open };
}
