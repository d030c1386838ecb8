import { formatDate, formatFull } from '@/lib/format';

/** A date, with the exact time on hover. */
export function CalendarDate({ iso }: { iso: string }) {
  return (
    <time dateTime={iso} title={formatFull(iso)}>
      {formatDate(iso)}
    </time>
  );
}
