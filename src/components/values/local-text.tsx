'use client';

import { useSyncExternalStore } from 'react';

/** Text with times in the time zone of the console. The server writes its own first; the key makes the browser replace it. */
export function LocalText({ children }: { children: () => string }) {
  const isInBrowser = useSyncExternalStore(
    () => () => {},
    () => true,
    () => false,
  );
  return (
    <span key={isInBrowser ? 'browser' : 'server'} suppressHydrationWarning>
      {children()}
    </span>
  );
}
