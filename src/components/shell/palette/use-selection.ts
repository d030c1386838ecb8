'use client';

import { useLayoutEffect, useRef, useState } from 'react';

type Choice = { words: string; key: string; isByKey: boolean };

/**
 * The selected entry of a list that changes while results arrive: the first one until another is chosen, which stays selected
 * wherever it moves. While it isn't listed, the nearest of its former neighbors is.
 *
 * @returns its place, and what chooses another
 */
export function useSelection(words: string, keys: string[], isOpen: boolean) {
  const [choice, setChoice] = useState<Choice | null>(null);
  const former = useRef<string[]>([]);
  const key = choice?.words === words ? choice.key : undefined;
  const at = key === undefined ? 0 : placeOf(key, keys, former.current);
  useLayoutEffect(() => {
    if (isOpen) setChoice(null);
  }, [isOpen]);
  useLayoutEffect(() => {
    if (key === undefined || keys.includes(key)) former.current = keys;
  });
  const choose = (index: number, isByKey: boolean) => {
    const chosen = keys[index];
    if (chosen !== undefined && (chosen !== key || isByKey !== choice?.isByKey))
      setChoice({ words, key: chosen, isByKey });
  };
  return {
    at,
    hasChosen: key !== undefined,
    isByMouse: key !== undefined && choice?.isByKey === false,
    /** Chooses the entry below, or with -1 above. The last one is above the first. */
    move: (step: 1 | -1) => choose((at + step + keys.length) % keys.length, true),
    point: (index: number) => choose(index, false),
  };
}

function placeOf(key: string, keys: string[], former: string[]): number {
  const listed = keys.indexOf(key);
  if (listed >= 0) return listed;
  const place = former.indexOf(key);
  const [nearest] = former
    .map((each, index) => ({ at: keys.indexOf(each), distance: Math.abs(index - place) - (index > place ? 0.5 : 0) }))
    .filter((each) => each.at >= 0)
    .toSorted((one, other) => one.distance - other.distance);
  return nearest?.at ?? 0;
}
