import { type ReactNode, useId } from 'react';
import classes from './stamp.module.css';
import type { Tone } from './status-mark';

export type StampState = 'passed' | 'delivered' | 'deferred' | 'bounced' | 'failed' | 'pending';

export const STAMP_TONES: Record<StampState, Tone> = {
  passed: 'postmark',
  delivered: 'postmark',
  deferred: 'deferred',
  bounced: 'bounced',
  failed: 'failed',
  pending: 'quiet',
};

const SIGNS: Partial<Record<StampState, ReactNode>> = {
  delivered: <circle cx="32" cy="22.5" r="3.6" />,
  deferred: <path d="M32 18.9a3.6 3.6 0 0 0 0 7.2zm.8.1v1.2a2.4 2.4 0 0 1 0 4.6v1.2a3.6 3.6 0 0 0 0-7z" />,
  bounced: <path d="m32 18 4.6 8h-9.2z" />,
  failed: <path d="M28.7 19.2h6.6v6.6h-6.6z" />,
};

type StampProps = { code: string; state: StampState; rim?: [top: string, bottom: string]; tilt?: number };

export function Stamp({ code, state, rim, tilt = 0 }: StampProps) {
  const id = useId();
  const sign = SIGNS[state];
  return (
    <svg
      className={classes.stamp}
      data-state={state}
      data-tone={STAMP_TONES[state]}
      viewBox="0 0 64 64"
      aria-hidden="true"
    >
      <g transform={`rotate(${tilt} 32 32)`}>
        <circle className={classes.rim} cx="32" cy="32" r="30.5" />
        <circle className={classes.disc} cx="32" cy="32" r="19" />
        {rim && (
          <>
            <path id={`${id}t`} d="M9.9 32a22.1 22.1 0 0 1 44.2 0" fill="none" />
            <path id={`${id}b`} d="M4.6 32a27.4 27.4 0 0 0 54.8 0" fill="none" />
            <text>
              <textPath href={`#${id}t`} startOffset="50%">
                {rim[0]}
              </textPath>
            </text>
            <text>
              <textPath href={`#${id}b`} startOffset="50%">
                {rim[1]}
              </textPath>
            </text>
          </>
        )}
        <g fill="currentColor">{sign}</g>
        <text className={classes.code} x="32" y={sign ? 39.5 : 36.5} data-long={code.length > 3 || undefined}>
          {code}
        </text>
      </g>
    </svg>
  );
}

export function Waves() {
  const id = useId();
  return (
    <svg className={classes.waves} aria-hidden="true" width="100%" height="24">
      <pattern id={id} width="20" height="24" patternUnits="userSpaceOnUse">
        <path d="M0 4q5-4 10 0t10 0M0 12q5-4 10 0t10 0M0 20q5-4 10 0t10 0" fill="none" stroke="currentColor" />
      </pattern>
      <rect width="100%" height="24" fill={`url(#${id})`} />
    </svg>
  );
}
