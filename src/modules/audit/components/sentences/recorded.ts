import { fieldWords } from '@/lib/changes/field-labels';
import { changedFields } from '@/lib/changes/record-changes';
import { formatBytes, formatPlural } from '@/lib/format';
import type { AuditAction } from '@/lib/texts/audit-actions';
import { findKind } from '@/lib/texts/audit-kinds';
import type { AuditEntry } from '../../schema';
import { operationPhrase } from './operations';
import { numberIn, partOf, textIn } from './part';
import { PHRASES, type Phrase } from './phrases';

type Recorded = (entry: AuditEntry) => Phrase | undefined;

const RECORDED: Partial<Record<AuditAction, Recorded>> = {
  'alias.import': ({ details }) => imported(details.created, 'alias', 'aliases'),
  'backup.finish': backupPhrase,
  'backup.restore': restorePhrase,
  'deleted_record.restore': restoredPhrase,
  'dmarc_report.upload': ({ details }) => uploaded('a DMARC report', details.organisation),
  'domain.activate_dkim': ({ details }) => dkimPhrase('activated', 'activate', 'of', partOf(details.after).selector),
  'domain.rotate_dkim': ({ details }) => dkimPhrase('created', 'create', 'for', partOf(details.after).selector),
  'mail_backup.check': operationPhrase,
  'mail_backup.create': operationPhrase,
  'mail_backup.restore': operationPhrase,
  'mailbox.import': ({ details }) => imported(details.created, 'mailbox', 'mailboxes'),
  'message.download_attachment': ({ details }) => downloaded(details.filename),
  'message.send_batch': batchPhrase,
  'operation.create': operationPhrase,
  'operation.finish': operationPhrase,
  'sieve_filter.validate': ({ details }) => validated(details.valid),
  'suppression.delete_matching': ({ details }) => deletedSuppressions(details.total),
  'suppression.import': ({ details }) => imported(details.created, 'suppression', 'suppressions'),
  'tls_report.upload': ({ details }) => uploaded('a TLS report', details.organisation),
  'webhook.replay_failed': ({ details }) => replayed(details.replayed),
  'webhook.test': ({ details }) => tested(details.event),
};

/**
 * Words for what an entry recorded, which say more than those of its action. Undefined if it recorded nothing, like a
 * request that was refused.
 */
export function recordedPhrase(entry: AuditEntry): Phrase | undefined {
  return RECORDED[entry.action as AuditAction]?.(entry) ?? changePhrase(entry);
}

const BACKUP_OPERATIONS: Record<string, Pick<Phrase, 'did' | 'toDo'>> = {
  create: { did: 'finished backup', toDo: 'finish backup' },
  verify: { did: 'verified backup', toDo: 'verify backup' },
  prove: { did: 'finished a test restore of backup', toDo: 'test-restore backup' },
  preview: { did: 'previewed a restore of backup', toDo: 'restore backup' },
  restore: { did: 'restored backup', toDo: 'restore backup' },
};

function backupPhrase({ details }: AuditEntry): Phrase | undefined {
  const words = BACKUP_OPERATIONS[String(details.action)];
  const size = numberIn(details.size_bytes);
  return words && { ...words, after: size === null ? undefined : `(${formatBytes(size)})` };
}

/** The end of a restore, which its beginning has an entry of its own for. */
function restorePhrase({ details }: AuditEntry): Phrase | undefined {
  if (details.operation_id === undefined && details.file === undefined) return undefined;
  const kept = numberIn(details.kept_entries);
  return {
    ...{ did: 'restored backup', toDo: 'restore backup' },
    after: kept ? `(${formatPlural(kept, 'newer audit entry', 'newer audit entries')} kept)` : undefined,
  };
}

/** An attempt that was refused is about the deleted record, and a success about the record. */
function restoredPhrase({ resource }: AuditEntry): Phrase | undefined {
  const noun = findKind(resource)?.noun;
  return noun ? { did: `restored ${noun}`, toDo: `restore ${noun}` } : undefined;
}

function batchPhrase({ details }: AuditEntry): Phrase | undefined {
  const [total, refused] = [numberIn(details.total), numberIn(details.refused)];
  if (total === null) return undefined;
  const batch = `a batch of ${formatPlural(total, 'message')}`;
  return { did: `sent ${batch}`, toDo: refused && refused < total ? `send ${refused} of ${batch}` : `send ${batch}` };
}

function deletedSuppressions(total: unknown): Phrase | undefined {
  const count = numberIn(total);
  if (count === null) return undefined;
  const what = formatPlural(count, 'suppression');
  return { did: `deleted ${what}`, toDo: `delete ${what}` };
}

function imported(created: unknown, one: string, many: string): Phrase | undefined {
  const count = numberIn(created);
  if (count === null) return undefined;
  const what = formatPlural(count, one, many);
  return { did: `imported ${what}`, toDo: `import ${what}` };
}

function dkimPhrase(did: string, toDo: string, of: string, selector: unknown): Phrase | undefined {
  const key = textIn(selector);
  return key === null ? undefined : { did: `${did} DKIM key ${key} ${of}`, toDo: `${toDo} DKIM key ${key} ${of}` };
}

function uploaded(what: string, organisation: unknown): Phrase | undefined {
  const from = textIn(organisation);
  return from === null ? undefined : { did: `uploaded ${what} from ${from}`, toDo: `upload ${what} from ${from}` };
}

function downloaded(filename: unknown): Phrase | undefined {
  const file = textIn(filename);
  return file === null
    ? undefined
    : { did: `downloaded attachment ${file} of`, toDo: `download attachment ${file} of` };
}

function validated(isValid: unknown): Phrase | undefined {
  if (typeof isValid !== 'boolean') return undefined;
  const after = isValid ? ', which is valid' : ', which has errors';
  return { did: `checked a filter script${after}`, toDo: 'check a filter script' };
}

function replayed(count: unknown): Phrase | undefined {
  const deliveries = numberIn(count);
  if (deliveries === null) return undefined;
  const what = formatPlural(deliveries, 'failed delivery', 'failed deliveries');
  return { did: `replayed ${what} of webhook`, toDo: `replay ${what} of webhook` };
}

function tested(type: unknown): Phrase | undefined {
  const event = textIn(type);
  return event === null
    ? undefined
    : { did: `sent a ${event} test to webhook`, toDo: `send a ${event} test to webhook` };
}

/** Beyond, the sentence counts them. The details of the entry have all. */
const MAX_NAMED = 2;

/** The fields that an update changed: "changed the quota of mailbox". Undefined for an update that a verb of its own says. */
function changePhrase({ action, details }: AuditEntry): Phrase | undefined {
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
