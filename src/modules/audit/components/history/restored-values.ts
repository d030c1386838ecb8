import { changedFields } from '@/lib/changes/record-changes';
import { EDITED_FIELDS } from '@/lib/record-version';
import type { AuditEntry } from '../../schema';
import { type Part, partOf } from '../sentences/part';

/** Records whose former values can be restored. */
const RESTORABLE_KINDS = ['abuse_threshold', 'admin', 'alias', 'domain', 'mailbox', 'sieve_filter', 'webhook'] as const;
export type RestorableKind = (typeof RESTORABLE_KINDS)[number];

const PASSWORD = 'A password can’t be restored: only its hash was stored. Set a new one.';
const WEBHOOK_URL =
  'The URL can’t be restored: the path of a URL is often its password, so the audit log keeps only a digest of it.';
const SECRET = 'A secret can’t be restored: the audit log doesn’t contain it.';

export function kindOf({ resource }: Pick<AuditEntry, 'resource'>): string {
  return resource.split(':', 1)[0] ?? '';
}

export function idOf({ resource }: Pick<AuditEntry, 'resource'>): string {
  return resource.split(':')[1] ?? '';
}

/** Returns the values before a change, as an update takes them. Null if the change can't be undone by an update. */
export function restoredValues(entry: AuditEntry): Part | null {
  const kind = RESTORABLE_KINDS.find((each) => entry.action === `${each}.update`);
  if (!kind || entry.outcome !== 'success') return null;
  const [before, after] = [partOf(entry.details.before), partOf(entry.details.after)];
  const fields: readonly string[] = EDITED_FIELDS[kind];
  const changed = changedFields(before, after).filter(
    (field) => field in before && fields.includes(field) && `${kind}.${field}` !== 'webhook.url',
  );
  return changed.length === 0 ? null : Object.fromEntries(changed.map((field) => [field, before[field]]));
}

/** Says why a change, or a part of it, can't be undone, if it is one of a kind that otherwise can. */
export function whyNotRestored({ action, details }: AuditEntry): string | null {
  if (action === 'webhook.rotate_secret') return SECRET;
  if (details.password_changed === true || action === 'admin.password') return PASSWORD;
  const [before, after] = [partOf(details.before), partOf(details.after)];
  return action === 'webhook.update' && before.url !== after.url ? WEBHOOK_URL : null;
}
