'use client';

import { formatDate, formatFull } from '@/lib/format';
import { useTimeZone } from './use-time-zone';

/** A date, with the exact time on hover. */
export function CalendarDate({ iso }: { iso: string }) {
  useTimeZone();
  return (
    <time dateTime={iso} title={formatFull(iso)}>
      {formatDate(iso)}
    </time>
  );
}
