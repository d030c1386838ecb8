'use client';

import { useEffect } from 'react';
import { type ComposeValues, EMPTY_COMPOSE } from './compose-values';

const KEY = 'postroom-draft';

/** Keeps the text of a draft in this tab, so that neither a reload nor a look elsewhere loses it. */
export function useDraft(values: ComposeValues, isDirty: boolean): void {
  useEffect(() => {
    if (!isDirty) return;
    const { files, ...text } = values;
    sessionStorage.setItem(KEY, JSON.stringify(text));
  }, [values, isDirty]);
}

export function readDraft(): ComposeValues | null {
  const kept = sessionStorage.getItem(KEY);
  if (!kept) return null;
  try {
    return { ...EMPTY_COMPOSE, ...(JSON.parse(kept) as Partial<ComposeValues>), files: [] };
  } catch {
    return null;
  }
}

export function dropDraft(): void {
  sessionStorage.removeItem(KEY);
}
