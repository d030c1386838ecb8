import type { ReactNode } from 'react';
import { RawText } from '../text/raw-text';
import { Skeleton } from './skeleton';
import { STAMP_TONES, Stamp, type StampState, Waves } from './stamp';
import classes from './timeline.module.css';

export type Hop = {
  id: string;
  code: string;
  state: StampState;
  title: ReactNode;
  rim?: [top: string, bottom: string];
  at?: string;
  dateTime?: string;
  after?: string;
  detail?: ReactNode;
  raw?: string;
  /** Below the rest, such as what is folded into the hop. */
  more?: ReactNode;
};

const TILTS = [-9, 6, -4, 8, -7, 4];

type TimelineProps = { hops: Hop[]; label: string; across?: boolean };

export function Timeline({ hops, label, across }: TimelineProps) {
  return (
    <ol className={classes.hops} data-across={across || undefined} aria-label={label}>
      {hops.map((hop, index) => (
        <li key={hop.id} className={classes.hop} data-tone={STAMP_TONES[hop.state]} data-state={hop.state}>
          <div className={classes.stamp}>
            <Stamp code={hop.code} state={hop.state} rim={hop.rim} tilt={TILTS[index % TILTS.length]} />
            {across && index < hops.length - 1 && <Waves />}
          </div>
          <div className={classes.text}>
            <p className={classes.title}>{hop.title}</p>
            {hop.at && (
              <p className={classes.time}>
                <time dateTime={hop.dateTime}>{hop.at}</time>
                {hop.after && <span>{hop.after}</span>}
              </p>
            )}
            {hop.detail && <p className={classes.detail}>{hop.detail}</p>}
            {hop.raw && <RawText>{hop.raw}</RawText>}
            {hop.more && <div className={classes.more}>{hop.more}</div>}
          </div>
        </li>
      ))}
    </ol>
  );
}

export function TimelineSkeleton({ count }: { count: number }) {
  return Array.from({ length: count }, (_, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: they have no identity.
    <div key={index} className={classes.hop}>
      <span className={classes.blankStamp} />
      <div className={classes.text}>
        <Skeleton width={200} />
      </div>
    </div>
  ));
}
