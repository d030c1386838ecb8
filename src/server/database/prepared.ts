import { createHash } from 'node:crypto';
import { processWide } from '../process-wide';

/** Each connection keeps the plans of its statements in memory, some 20 KB each. */
const MAX_PREPARED = 200;
/** Statements that were seen once. Those with a number of values in their text may never come again. */
const MAX_SEEN = 2_000;
const OF_PRISMA = /^(?:SELECT|INSERT INTO|UPDATE|DELETE FROM) [^;]*"public"\./;
const UNNAMED = '';

const seen = processWide<Set<string>>('statements seen once');
const prepared = processWide<Map<string, string>>('prepared statements');

/**
 * Names statements that recur, so that Postgres parses and plans them once for each connection and not each time: those of Prisma, and
 * ours that begin with a comment that says so. Not those of lists, whose best plan depends on the values of their filters.
 */
export function statementName({ sql }: { sql: string }): string {
  prepared.current ??= new Map();
  seen.current ??= new Set();
  const known = prepared.current.get(sql);
  if (known !== undefined) return known;
  if (prepared.current.size >= MAX_PREPARED || !isWanted(sql)) return UNNAMED;
  if (!seen.current.delete(sql)) {
    if (seen.current.size < MAX_SEEN) seen.current.add(sql);
    return UNNAMED;
  }
  const name = createHash('sha256').update(sql).digest('hex').slice(0, 32);
  prepared.current.set(sql, name);
  return name;
}

function isWanted(sql: string): boolean {
  return sql.trimStart().startsWith('/* prepared */') || (OF_PRISMA.test(sql) && !sql.includes(' ORDER BY '));
}
