import { formatFull, momentParts } from '@/lib/format';

export function DateTime({ iso }: { iso: string }) {
  const { lead, rest } = momentParts(iso);
  return (
    <time dateTime={iso} title={formatFull(iso)}>
      {lead}
      <span className="only-wide">{rest}</span>
    </time>
  );
}
