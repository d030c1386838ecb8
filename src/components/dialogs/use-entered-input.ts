'use client';

import { type MouseEvent, useEffect, useState } from 'react';

/**
 * Whether something was entered into a dialog since it opened. Closing it by Escape, Back, or the browser's tab, asks first.
 * @param losesNothing what is entered is worth nothing
 */
export function useEnteredInput(opened: boolean, losesNothing = false) {
  const [hasInput, setHasInput] = useState(false);
  const [isAsking, setIsAsking] = useState(false);
  const isWorthAsking = opened && hasInput && !losesNothing;

  useEffect(() => {
    if (opened) return;
    setHasInput(false);
    setIsAsking(false);
  }, [opened]);

  useEffect(() => {
    if (!isWorthAsking) return;
    const stop = new AbortController();
    window.addEventListener('beforeunload', (event) => event.preventDefault(), { signal: stop.signal });
    return () => stop.abort();
  }, [isWorthAsking]);

  return {
    isAsking: isAsking && isWorthAsking,
    onInput: () => setHasInput(true),
    /** An option of a list is chosen without input. By the keyboard, too, it is clicked, and React passes that on from where the list is. */
    onClick: ({ target }: MouseEvent) => {
      if (target instanceof Element && target.closest('[role="option"]')) setHasInput(true);
    },
    keep: () => setIsAsking(false),
    /** Asks before Back loses something. A second Back goes on. */
    ask: () => {
      const isFirst = isWorthAsking && !isAsking;
      if (isFirst) setIsAsking(true);
      return isFirst;
    },
    /** Calls `close`, unless something would be lost: then it asks, or with a second Escape goes on. */
    confirmLoss: (close: () => void) => {
      if (isWorthAsking) setIsAsking(!isAsking);
      else close();
    },
  };
}
