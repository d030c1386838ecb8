import { Gauge } from '@/components/marks/gauge';
import type { Tone } from '@/components/marks/status-mark';
import { formatBytes } from '@/lib/format';
import { ALMOST_FULL_PERCENT, NEARLY_FULL_PERCENT } from '@/lib/mail/fullness';
import type { Mailbox } from '../schema';
import classes from './storage.module.css';

type StorageProps = { mailbox: Pick<Mailbox, 'used_bytes' | 'quota_bytes' | 'percent_full'> };

export function StorageCell({ mailbox }: StorageProps) {
  const { percent_full: percent } = mailbox;
  return (
    <span className={classes.storage}>
      {percent !== null && <StorageGauge percent={percent} />}
      <span className="clip">{storageLabel(mailbox)}</span>
    </span>
  );
}

function storageLabel({
  used_bytes: used,
  quota_bytes: quota,
  percent_full: percent,
}: StorageProps['mailbox']): string {
  if (quota === null || percent === null) return `${formatBytes(used)}, no quota`;
  return percent >= NEARLY_FULL_PERCENT
    ? `${percent}% of ${formatBytes(quota)}`
    : `${formatBytes(used)} of ${formatBytes(quota)}`;
}

export function StorageGauge({ percent, isWide }: { percent: number; isWide?: boolean }) {
  return <Gauge percent={percent} tone={toneOf(percent)} isWide={isWide} />;
}

/** Without color while there is room. */
function toneOf(percent: number): Tone {
  if (percent < NEARLY_FULL_PERCENT) return 'quiet';
  return percent < ALMOST_FULL_PERCENT ? 'deferred' : 'bounced';
}
