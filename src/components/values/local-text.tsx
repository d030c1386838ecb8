'use client';

import classes from './local-text.module.css';
import { useTimeZone } from './use-time-zone';

/** Text with times in the time zone of the console. Until that is known, as on the server, it only takes its room. */
export function LocalText({ children }: { children: () => string }) {
  const zone = useTimeZone();
  return (
    <span
      key={zone === undefined ? 'unknown' : (zone ?? 'browser')}
      className={zone === undefined ? classes.unknown : undefined}
      suppressHydrationWarning
    >
      {children()}
    </span>
  );
}
