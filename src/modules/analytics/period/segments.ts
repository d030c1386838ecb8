import { DAY_MS, HOUR_MS, QUARTER_MS, type TimeSpan } from './points';

const LEVELS = ['quarter', 'hour', 'day'] as const;
export type Level = (typeof LEVELS)[number];

const LENGTH_MS: Record<Level, number> = { quarter: QUARTER_MS, hour: HOUR_MS, day: DAY_MS };

/** Rows of one level in a time range. */
export type Segment = { level: Level; from: Date; to: Date };

/** The fewest rows that cover a time span: days in its middle, hours and quarters of an hour at its ends. */
export function segmentsOf(
  { start, end }: TimeSpan,
  { finest, coarsest }: { finest: Level; coarsest: Level },
): Segment[] {
  const levels = LEVELS.slice(LEVELS.indexOf(finest), LEVELS.indexOf(coarsest) + 1);
  const finestMs = LENGTH_MS[finest];
  const first = Math.floor(start.getTime() / finestMs) * finestMs;
  return cover(first, Math.ceil(end.getTime() / finestMs) * finestMs, levels);
}

function cover(from: number, to: number, levels: Level[]): Segment[] {
  const level = levels.at(-1);
  if (level === undefined || from >= to) return [];
  const rest = levels.slice(0, -1);
  const lengthMs = LENGTH_MS[level];
  const [first, last] = [Math.ceil(from / lengthMs) * lengthMs, Math.floor(to / lengthMs) * lengthMs];
  if (first >= last) return cover(from, to, rest);
  const whole = { level, from: new Date(first), to: new Date(last) };
  return [...cover(from, first, rest), whole, ...cover(last, to, rest)];
}

/** The coarsest level whose rows are each in one part, if the parts start at these times. */
export function levelOf(starts: readonly Date[]): Level {
  const isStart = (level: Level) => starts.every((at) => at.getTime() % LENGTH_MS[level] === 0);
  return LEVELS.findLast(isStart) ?? 'quarter';
}
