import type { AuditAction } from '@/lib/audit-actions';
import { fieldWords } from '@/lib/changes/field-labels';
import { changedFields } from '@/lib/changes/record-changes';
import { formatPlural } from '@/lib/format';
import type { AuditEntry } from '../../schema';
import { partOf } from './part';
import { PHRASES, type Phrase } from './phrases';

/** Beyond, the sentence counts them. The details of the entry have all. */
const MAX_NAMED = 2;

/** The fields that an update changed: "changed the quota of mailbox". Undefined for an update that a verb of its own says. */
export function changePhrase({ action, details }: AuditEntry): Phrase | undefined {
  const { did, toDo, after: ending } = PHRASES[action as keyof typeof PHRASES] ?? {};
  if (!did?.startsWith('changed ') || !action.endsWith('.update') || UNLISTED.has(action)) return undefined;
  const [before, after] = [partOf(details.before), partOf(details.after)];
  const recorded = changedFields(before, after).filter((field) => field in before && field in after);
  const fields = recorded.map(fieldWords);
  if (details.password_changed === true) fields.unshift('password');
  if (fields.length === 0) return undefined;
  const names = fields.length > MAX_NAMED ? formatPlural(fields.length, 'setting') : `the ${fields.join(' and the ')}`;
  const of = (verb: string, words: string) => words.replace(`${verb} `, `${verb} ${names} of `);
  return { did: of('changed', did), toDo: of('change', toDo ?? ''), after: ending };
}

/** Their name says what was changed, or they have a word for it. */
const UNLISTED: ReadonlySet<string> = new Set<AuditAction>([
  'abuse_threshold.update',
  'alert.update',
  'cluster_node.update',
  'config.update',
]);
