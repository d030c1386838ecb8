import { formatDay } from '@/lib/format';
import type { AuditAction } from '@/lib/texts/audit-actions';
import type { AuditEntry } from '../schema';
import { numberIn } from './sentences/part';
import { sentenceOf } from './sentences/sentence';

/** Fewer are as easy to read one by one. */
const MIN_FOLDED = { sends: 2, changes: 4 };

/** Actions of programs that send, which are many between the changes that people make. */
const SENDS: ReadonlySet<string> = new Set<AuditAction>([
  'message.send',
  'message.send_batch',
  'message.send_scheduled',
]);

/** An entry with those after it of the same day that say the same of other records, or that sent messages as well. */
export type Run = { entry: AuditEntry; others: AuditEntry[] };

/** Joins successes that follow each other and differ only in their record and time, such as a bulk action, and sends of anyone. */
export function foldRuns(entries: AuditEntry[], { joinsSends = false } = {}): Run[] {
  const runs: Run[] = [];
  let key: string | null = null;
  for (const entry of entries) {
    const next = keyOf(entry, joinsSends);
    const run = runs.at(-1);
    if (run && next !== null && next === key) run.others.push(entry);
    else runs.push({ entry, others: [] });
    key = next;
  }
  return runs.flatMap((run) => {
    const min = joinsSends && isSend(run.entry) ? MIN_FOLDED.sends : MIN_FOLDED.changes;
    if (run.others.length + 1 >= min) return [run];
    return [run.entry, ...run.others].map((entry) => ({ entry, others: [] }));
  });
}

export function isSend({ action }: AuditEntry): boolean {
  return SENDS.has(action);
}

/** Who sent the messages of a run, without the API key if there are several, and how many messages. */
export function sendersOf({ entry, others }: Run): { actors: string[]; via: string; messages: number } {
  const sentences = [entry, ...others].map(sentenceOf);
  const vias = new Set(sentences.map(({ via }) => via));
  return {
    actors: [...new Set(sentences.map(({ actor }) => actor))],
    via: vias.size === 1 ? (sentences[0]?.via ?? '') : '',
    messages: [entry, ...others].reduce((sum, { details }) => sum + (numberIn(details.total) ?? 1), 0),
  };
}

/** Null for an entry that stands alone. */
function keyOf(entry: AuditEntry, joinsSends: boolean): string | null {
  if (entry.outcome !== 'success') return null;
  const day = formatDay(entry.created_at);
  if (joinsSends && isSend(entry)) return JSON.stringify([day]);
  const { actor, via, verb, isDryRun } = sentenceOf(entry);
  return JSON.stringify([actor, via, verb, isDryRun, entry.action, entry.ip_address, day]);
}
