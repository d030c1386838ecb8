import type { Tx } from '@/server/database/db';
import type { Random } from './random';

/** Shared by all parts of the seeding. */
export type DemoContext = {
  tx: Tx;
  now: Date;
  random: Random;
  /** 1 is the whole demo; tests seed less. */
  scale: number;
};

/** Scales a number of rows. */
export function scaled({ scale }: DemoContext, count: number, least = 1): number {
  return Math.max(least, Math.round(count * scale));
}
