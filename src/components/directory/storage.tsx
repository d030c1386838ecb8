import { formatBytes } from '@/lib/format';
import { MARKED_PERCENT, NEARLY_FULL_PERCENT } from '@/lib/mail/fullness';
import { Gauge } from '../marks/gauge';
import type { Tone } from '../marks/status-mark';
import classes from './storage.module.css';

type StorageProps = { mailbox: { used_bytes: number; quota_bytes: number | null; percent_full: number | null } };

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
  const share = percent < MARKED_PERCENT ? '' : `, ${percent}%`;
  return `${formatBytes(used)} of ${formatBytes(quota)}${share}`;
}

export function StorageGauge({ percent, isWide }: { percent: number; isWide?: boolean }) {
  return <Gauge percent={percent} tone={toneOf(percent)} isWide={isWide} />;
}

/** Without color while there is room. */
function toneOf(percent: number): Tone {
  if (percent < MARKED_PERCENT) return 'quiet';
  return percent < NEARLY_FULL_PERCENT ? 'deferred' : 'bounced';
}
