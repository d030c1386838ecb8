import type { ReactNode } from 'react';
import { STAMP_TONES, Stamp, type StampState, Waves } from './stamp';

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
};

const TILTS = [-9, 6, -4, 8, -7, 4];

type TimelineProps = { hops: Hop[]; label: string; across?: boolean };

export function Timeline({ hops, label, across }: TimelineProps) {
  return (
    <ol className="hops" data-across={across || undefined} aria-label={label}>
      {hops.map((hop, index) => (
        <li key={hop.id} className="hop" data-tone={STAMP_TONES[hop.state]} data-state={hop.state}>
          <div className="hop-stamp">
            <Stamp code={hop.code} state={hop.state} rim={hop.rim} tilt={TILTS[index % TILTS.length]} />
            {across && index < hops.length - 1 && <Waves />}
          </div>
          <div className="hop-text">
            <p className="hop-title">{hop.title}</p>
            {hop.at && (
              <p className="hop-time">
                <time dateTime={hop.dateTime}>{hop.at}</time>
                {hop.after && <span>{hop.after}</span>}
              </p>
            )}
            {hop.detail && <p className="hop-detail">{hop.detail}</p>}
            {hop.raw && <pre className="raw">{hop.raw}</pre>}
          </div>
        </li>
      ))}
    </ol>
  );
}
