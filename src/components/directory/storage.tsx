import type { ReactNode } from 'react';
import { formatBytes } from '@/lib/format';
import { FULL_PERCENT, MARKED_PERCENT, NEARLY_FULL_PERCENT } from '@/lib/mail/fullness';
import { Gauge } from '../marks/gauge';
import { StatusMark, type Tone } from '../marks/status-mark';
import classes from './storage.module.css';

type StorageProps = { mailbox: { used_bytes: number; quota_bytes: number | null; percent_full: number | null } };

/** @param children what stands in front of it on the same line, on a narrow screen instead of the gauge */
export function StorageCell({ mailbox, children }: StorageProps & { children?: ReactNode }) {
  const { percent_full: percent } = mailbox;
  return (
    <span className={classes.storage}>
      {children}
      {percent !== null && (
        <span className={children ? 'only-wide' : undefined}>
          <StorageGauge percent={percent} />
        </span>
      )}
      <span className="clip">{storageLabel(mailbox)}</span>
      {percent !== null && percent >= NEARLY_FULL_PERCENT && <Fullness percent={percent} />}
    </span>
  );
}

/** A full mailbox rejects mail. */
function Fullness({ percent }: { percent: number }) {
  if (percent >= FULL_PERCENT) return <StatusMark status="failed">Full</StatusMark>;
  return <StatusMark status="warning">{percent}%</StatusMark>;
}

function storageLabel({
  used_bytes: used,
  quota_bytes: quota,
  percent_full: percent,
}: StorageProps['mailbox']): string {
  if (quota === null || percent === null) return `${formatBytes(used)}, no quota`;
  const share = percent < MARKED_PERCENT || percent >= NEARLY_FULL_PERCENT ? '' : `, ${percent}%`;
  return `${formatBytes(used)} of ${formatBytes(quota)}${share}`;
}

export function StorageGauge({ percent, isWide }: { percent: number; isWide?: boolean }) {
  return <Gauge percent={percent} tone={toneOf(percent)} isWide={isWide} />;
}

/** Without color while there is room. */
function toneOf(percent: number): Tone {
  if (percent < NEARLY_FULL_PERCENT) return 'quiet';
  return percent < FULL_PERCENT ? 'deferred' : 'failed';
}
