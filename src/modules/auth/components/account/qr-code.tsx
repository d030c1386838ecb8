import { useMemo } from 'react';
import { encode } from 'uqr';
import classes from './qr-code.module.css';

const QUIET_ZONE = 4;

/** Dark on light in both themes, as scanners expect. */
export function QrCode({ value, label }: { value: string; label: string }) {
  const { size, path } = useMemo(() => draw(value), [value]);
  return (
    <svg
      className={classes.code}
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <path d={path} />
    </svg>
  );
}

function draw(value: string): { size: number; path: string } {
  const { data, size } = encode(value, { border: QUIET_ZONE, ecc: 'M' });
  const squares = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return { size, path: squares.join('') };
}
