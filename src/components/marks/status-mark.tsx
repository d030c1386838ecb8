import type { ReactNode } from 'react';
import classes from './status-mark.module.css';

const SHAPES = {
  disc: <circle cx="6" cy="6" r="5" fill="currentColor" />,
  ring: <circle cx="6" cy="6" r="4.25" fill="none" stroke="currentColor" strokeWidth="1.5" />,
  dashed: (
    <circle cx="6" cy="6" r="4.25" fill="none" stroke="currentColor" strokeWidth="1.5" strokeDasharray="2.6 1.85" />
  ),
  half: (
    <>
      <circle cx="6" cy="6" r="4.25" fill="none" stroke="currentColor" strokeWidth="1.5" />
      <path d="M6 1.75a4.25 4.25 0 0 0 0 8.5z" fill="currentColor" />
    </>
  ),
  triangle: <path d="M6 .8 11.6 11H.4z" fill="currentColor" />,
  clock: (
    <path
      d="M6 1.75a4.25 4.25 0 1 1 0 8.5 4.25 4.25 0 0 1 0-8.5M6 3.5V6l1.75 1.25"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
    />
  ),
  bars: <path d="M2.25 1.5h2.5v9h-2.5zM7.25 1.5h2.5v9h-2.5z" fill="currentColor" />,
  square: <rect x="1.25" y="1.25" width="9.5" height="9.5" fill="currentColor" />,
  diamond: <path d="M6 .4 11.6 6 6 11.6.4 6z" fill="currentColor" />,
  cross: <path d="m2 2 8 8m0-8-8 8" stroke="currentColor" strokeWidth="2" />,
} satisfies Record<string, ReactNode>;

export type Tone = 'postmark' | 'deferred' | 'bounced' | 'failed' | 'quiet';

export const STATUSES = {
  submitting: ['dashed', 'quiet', 'Submitting'],
  sent: ['ring', 'quiet', 'Sent'],
  queued: ['ring', 'quiet', 'Queued'],
  held: ['bars', 'quiet', 'On hold'],
  delivered: ['disc', 'postmark', 'Delivered'],
  deferred: ['half', 'deferred', 'Deferred'],
  bounced: ['triangle', 'bounced', 'Bounced'],
  failed: ['square', 'failed', 'Failed'],
  received: ['diamond', 'quiet', 'Received'],
  spam: ['cross', 'quiet', 'Spam'],
  uncertain: ['dashed', 'deferred', 'Unconfirmed'],
  scheduled: ['clock', 'quiet', 'Scheduled'],
  cancelled: ['cross', 'quiet', 'Cancelled'],
  on: ['disc', 'postmark', 'Active'],
  off: ['ring', 'quiet', 'Inactive'],
  warning: ['triangle', 'deferred', 'Warning'],
  pending: ['dashed', 'quiet', 'Waiting'],
} as const satisfies Record<string, readonly [keyof typeof SHAPES, Tone, string]>;

export type Status = keyof typeof STATUSES;

type StatusMarkProps = { status: Status; children?: ReactNode; shapeOnly?: boolean };

export function StatusMark({ status, children, shapeOnly }: StatusMarkProps) {
  const [shape, tone, word] = STATUSES[status];
  return (
    <span className={classes.mark} data-tone={tone}>
      <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
        {SHAPES[shape]}
      </svg>
      <span className={shapeOnly ? 'sr-only' : undefined}>{children ?? word}</span>
    </span>
  );
}
