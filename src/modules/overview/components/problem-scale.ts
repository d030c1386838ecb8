const MOST = 10;

/**
 * The scale of problems below the line of a chart, from the most in an hour. They are enlarged only while they stay smaller than
 * the rest, and reduced if there are so many that nothing else could be seen.
 */
export function problemScale({ problems, delivered }: { problems: number; delivered: number }): number {
  if (problems === 0 || delivered === 0) return 1;
  if (problems * MOST <= delivered) return MOST;
  return 1 / Math.min(MOST, Math.ceil(problems / delivered));
}
