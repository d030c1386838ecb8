'use client';

import { formatFull, momentParts } from '@/lib/format';
import { useTimeZone } from './use-time-zone';

export function DateTime({ iso }: { iso: string }) {
  useTimeZone();
  const { lead, rest } = momentParts(iso);
  return (
    <time dateTime={iso} title={formatFull(iso)}>
      {lead}
      <span className="only-wide">{rest}</span>
    </time>
  );
}
