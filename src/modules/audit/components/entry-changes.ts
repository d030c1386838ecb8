import { type FieldChange, recordChanges } from '@/lib/changes/record-changes';
import type { AuditEntry } from '../schema';
import { partOf } from './sentences/part';

/** Returns what an entry changed. Null for an entry that recorded no values. */
export function entryChanges({ details, names }: AuditEntry): FieldChange[] | null {
  const { before, after } = details;
  if (before === undefined && after === undefined) return null;
  const recordOf = (value: unknown) => (value === undefined || value === null ? null : partOf(value));
  return recordChanges(recordOf(before), recordOf(after), names);
}
