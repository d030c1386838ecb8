import { useId } from 'react';
import classes from './postage.module.css';

const WAVE_ROWS = [40, 64, 88, 112, 136];

type PostmarkProps = { top: string; bottom: string; lines: [string, string, string] };

export function Postmark({ top, bottom, lines }: PostmarkProps) {
  const id = useId();
  return (
    <svg className={classes.postmark} viewBox="0 0 420 176" aria-hidden="true">
      <g transform="rotate(-7 92 88)">
        <circle cx="92" cy="88" r="80" />
        <circle cx="92" cy="88" r="76" strokeWidth="1" />
        <circle cx="92" cy="88" r="50" strokeWidth="1.5" />
        <path id={`${id}t`} d="M34 88a58 58 0 0 1 116 0" className={classes.arc} />
        <path id={`${id}b`} d="M22.5 88a69.5 69.5 0 0 0 139 0" className={classes.arc} />
        <text className={classes.rim}>
          <textPath href={`#${id}t`} startOffset="50%">
            {top}
          </textPath>
        </text>
        <text className={classes.rim}>
          <textPath href={`#${id}b`} startOffset="50%">
            {bottom}
          </textPath>
        </text>
        <text className={classes.day} x="92" y="74">
          {lines[0]}
        </text>
        <text className={classes.time} x="92" y="98">
          {lines[1]}
        </text>
        <text className={classes.day} x="92" y="116">
          {lines[2]}
        </text>
        {WAVE_ROWS.map((y) => (
          <path key={y} d={`M${waveStart(y)} ${y}q14-10 28 0t28 0 28 0 28 0 28 0 28 0 28 0 28 0 20-4`} />
        ))}
      </g>
    </svg>
  );
}

export function PostageStamp() {
  return (
    <svg className={classes.stamp} viewBox="0 0 120 144" aria-hidden="true">
      <rect x="4" y="4" width="112" height="136" className={classes.paper} />
      <rect x="4" y="4" width="112" height="136" className={classes.perforation} />
      <rect x="14" y="14" width="92" height="116" className={classes.frame} />
      <path className={classes.art} d="M14 92h92v38H14z" />
      <path
        className={classes.wave}
        d="M14 101q7.7-5 15.4 0t15.3 0 15.3 0 15.4 0 15.3 0 15.3 0M14 109q7.7-5 15.4 0t15.3 0 15.3 0 15.4 0 15.3 0 15.3 0"
      />
      <path className={classes.art} d="M55 40h10l5 52H50z" />
      <path className={classes.art} d="M54 31h12v9H54zM52 40h16v2.4H52zM60 25l7 6H53z" />
      <path className={classes.beam} d="M66 34.5 106 24v23zM54 34.5 14 24v23z" />
      <path className={classes.band} d="m53.3 57 13.4 0 1.1 11-15.6 0z" />
      <text x="60" y="125" className={classes.value}>
        250 OK
      </text>
    </svg>
  );
}

function waveStart(y: number): number {
  if (y === 88) return 176;
  return y === 64 || y === 112 ? 172 : 162;
}
