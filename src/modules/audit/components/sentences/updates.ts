import type { AuditAction } from '@/lib/audit-actions';
import { formatPlural } from '@/lib/format';
import type { AuditEntry } from '../../schema';
import { type Part, partOf } from './part';
import { PHRASES, type Phrase } from './phrases';

/** Beyond, the sentence counts them. The details of the entry have all. */
const MAX_NAMED = 2;

/** Fields that follow from others, or that a record has of its use. */
const DERIVED = new Set(['updated_at', 'password_changed_at', 'dns_status', 'percent_full', 'used_bytes', 'warnings']);

/** The fields that an update changed: "changed the quota of mailbox". Undefined for an update that a verb of its own says. */
export function changePhrase({ action, details }: AuditEntry): Phrase | undefined {
  const { did, toDo, after } = PHRASES[action as keyof typeof PHRASES] ?? {};
  if (!did?.startsWith('changed ') || !action.endsWith('.update') || UNLISTED.has(action)) return undefined;
  const fields = changedFields(partOf(details.before), partOf(details.after));
  if (details.password_changed === true) fields.unshift('password');
  if (fields.length === 0) return undefined;
  const names = fields.length > MAX_NAMED ? formatPlural(fields.length, 'setting') : `the ${fields.join(' and the ')}`;
  const of = (verb: string, words: string) => words.replace(`${verb} `, `${verb} ${names} of `);
  return { did: of('changed', did), toDo: of('change', toDo ?? ''), after };
}

/** Their name says what was changed, or they have a word for it. */
const UNLISTED: ReadonlySet<string> = new Set<AuditAction>([
  'abuse_threshold.update',
  'alert.update',
  'cluster_node.update',
  'config.update',
]);

function changedFields(before: Part, after: Part): string[] {
  const keys = Object.keys(after).filter((key) => key in before && !DERIVED.has(key));
  return keys.filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key])).map(wordsOf);
}

/** `default_quota_bytes` is the default quota, and `domain_ids` are the domains. */
function wordsOf(key: string): string {
  return key
    .replace(/_ids$/, 's')
    .replace(/_(id|bytes|at)$/, '')
    .replaceAll('_', ' ')
    .replace(/\burl\b/, 'URL')
    .replace(/\bmta sts\b/, 'MTA-STS')
    .replace(/\btotp\b/, 'two-factor authentication');
}
