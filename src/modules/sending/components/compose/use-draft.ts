'use client';

import { useEffect } from 'react';
import { type ComposeValues, EMPTY_COMPOSE } from './compose-values';

const KEY = 'postroom-draft';

/** Keeps the draft, without attachments, in this tab's session storage. */
export function useDraft(values: ComposeValues, isDirty: boolean): void {
  useEffect(() => {
    if (!isDirty) return;
    const { attachments, ...text } = values;
    sessionStorage.setItem(KEY, JSON.stringify(text));
  }, [values, isDirty]);
}

export function readDraft(): ComposeValues | null {
  const stored = sessionStorage.getItem(KEY);
  if (!stored) return null;
  try {
    return { ...EMPTY_COMPOSE, ...(JSON.parse(stored) as Partial<ComposeValues>), attachments: [] };
  } catch {
    return null;
  }
}

export function dropDraft(): void {
  sessionStorage.removeItem(KEY);
}
