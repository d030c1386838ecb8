import type { Tx } from '@/server/db';
import type { Random } from './random';

/** What every part of the seeding works with. */
export type DemoContext = {
  tx: Tx;
  now: Date;
  random: Random;
  /** 1 is the whole demo; a test seeds a part of it. */
  scale: number;
};

/** A number of rows at the scale of this demo. */
export function scaled({ scale }: DemoContext, count: number, least = 1): number {
  return Math.max(least, Math.round(count * scale));
}
