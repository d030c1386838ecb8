import type { AuditEntry } from '../schema';
import { sentenceOf } from './sentences/sentence';

/** Fewer are as easy to read one by one. */
const MIN_FOLDED = 4;

/** An entry with those after it that say the same of other records. */
export type Run = { entry: AuditEntry; others: AuditEntry[] };

/** Joins successes that follow each other and differ only in their record and time: a bulk action, or a program that sends. */
export function foldRuns(entries: AuditEntry[]): Run[] {
  const runs: Run[] = [];
  let key: string | null = null;
  for (const entry of entries) {
    const next = keyOf(entry);
    const run = runs.at(-1);
    if (run && next !== null && next === key) run.others.push(entry);
    else runs.push({ entry, others: [] });
    key = next;
  }
  return runs.flatMap((run) =>
    run.others.length + 1 < MIN_FOLDED ? [run.entry, ...run.others].map((entry) => ({ entry, others: [] })) : [run],
  );
}

/** Null for an entry that stands alone. */
function keyOf(entry: AuditEntry): string | null {
  if (entry.outcome !== 'success') return null;
  const { actor, via, verb, isDryRun } = sentenceOf(entry);
  return JSON.stringify([actor, via, verb, isDryRun, entry.action, entry.ip_address]);
}
