import { formatBytes } from '@/lib/format';
import type { Mailbox } from '../schema';

const NEARLY_FULL = 90;

type SpaceProps = { mailbox: Pick<Mailbox, 'used_bytes' | 'quota_bytes'> };

export function percentFull({ used_bytes: used, quota_bytes: quota }: SpaceProps['mailbox']): number | null {
  if (quota === null) return null;
  return quota === 0 ? 100 : Math.floor((used / quota) * 100);
}

export function SpaceCell({ mailbox }: SpaceProps) {
  const percent = percentFull(mailbox);
  return (
    <span className="space">
      {percent !== null && <Gauge percent={percent} />}
      <span className="clip">{spaceWords(mailbox, percent)}</span>
    </span>
  );
}

function spaceWords({ used_bytes: used, quota_bytes: quota }: SpaceProps['mailbox'], percent: number | null): string {
  if (quota === null || percent === null) return `${formatBytes(used)}, no quota`;
  return percent >= NEARLY_FULL
    ? `${percent}% of ${formatBytes(quota)}`
    : `${formatBytes(used)} of ${formatBytes(quota)}`;
}

export function Gauge({ percent }: { percent: number }) {
  const tone = percent >= 100 ? 'bounced' : percent >= NEARLY_FULL ? 'deferred' : 'postmark';
  return (
    <span className="gauge" data-tone={tone} aria-hidden="true">
      <span style={{ width: `${Math.min(percent, 100)}%` }} />
    </span>
  );
}
