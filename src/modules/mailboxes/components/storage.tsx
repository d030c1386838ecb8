import { Gauge } from '@/components/marks/gauge';
import { formatBytes } from '@/lib/format';
import type { Mailbox } from '../schema';
import classes from './storage.module.css';

const NEARLY_FULL_PERCENT = 90;

type StorageProps = { mailbox: Pick<Mailbox, 'used_bytes' | 'quota_bytes'> };

export function percentFull({ used_bytes: used, quota_bytes: quota }: StorageProps['mailbox']): number | null {
  if (quota === null) return null;
  return quota === 0 ? 100 : Math.floor((used / quota) * 100);
}

export function StorageCell({ mailbox }: StorageProps) {
  const percent = percentFull(mailbox);
  return (
    <span className={classes.storage}>
      {percent !== null && <StorageGauge percent={percent} />}
      <span className="clip">{storageLabel(mailbox, percent)}</span>
    </span>
  );
}

function storageLabel(
  { used_bytes: used, quota_bytes: quota }: StorageProps['mailbox'],
  percent: number | null,
): string {
  if (quota === null || percent === null) return `${formatBytes(used)}, no quota`;
  return percent >= NEARLY_FULL_PERCENT
    ? `${percent}% of ${formatBytes(quota)}`
    : `${formatBytes(used)} of ${formatBytes(quota)}`;
}

export function StorageGauge({ percent, isWide }: { percent: number; isWide?: boolean }) {
  const tone = percent >= 100 ? 'bounced' : percent >= NEARLY_FULL_PERCENT ? 'deferred' : 'postmark';
  return <Gauge percent={percent} tone={tone} isWide={isWide} />;
}
