'use client';

import { useEffect, useRef } from 'react';

/** Returns the focus to the row's link when its dialog or panel closes. */
export function useFocusReturn(openId: string | null): void {
  const last = useRef(openId);
  useEffect(() => {
    if (last.current && !openId) document.querySelector<HTMLElement>(`[data-row="${last.current}"]`)?.focus();
    last.current = openId;
  }, [openId]);
}
