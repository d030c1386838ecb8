import type { Prisma } from '@/server/prisma/client';
import type { CheckedRecord } from '../checking/check-record';

export type Row = Prisma.DnsRecordGetPayload<object>;
export type NewRow = Prisma.DnsRecordCreateManyInput & { found: string[] };
type Change = Prisma.DnsChangeCreateManyInput;

/** Records of addresses and hosts that the record of another purpose names. */
const NAMED_BY: Partial<Record<string, string>> = { ptr: 'host', blocklist: 'host', starttls: 'mx', dane: 'mx' };

/**
 * The rows to store after a check, and what changed since the one before. Where a lookup failed temporarily, the last
 * result is kept, also that there is none.
 */
export function compareChecks(
  earlier: readonly Row[],
  checked: readonly CheckedRecord[],
  { domainId, at }: { domainId: string; at: Date },
): { rows: NewRow[]; changes: Change[] } {
  const byKey = new Map(earlier.map((row) => [keyOf(row), row]));
  const rows: NewRow[] = [];
  const changes: Change[] = [];
  const addChange = (
    { purpose, type, name, status }: Omit<CheckedRecord, 'ttl' | 'inherited_from'>,
    before: string[],
    after: string[],
  ) => changes.push({ domainId, purpose, type, name, status, before, after, at });

  for (const [position, { ttl, inherited_from: inheritedFrom, policy: _, ...record }] of checked.entries()) {
    const before = byKey.get(keyOf(record));
    if (record.status === 'temporary_error' && before && before.status !== 'temporary_error') {
      rows.push(kept(before, position));
      continue;
    }
    if (record.status === 'temporary_error' && !before && earlier.length > 0 && isShownOnlyIfFound(record)) continue;
    const isChanged = !before || before.status !== record.status || !isSameSet(before.found, record.found);
    const changedAt = isChanged ? at : before.changedAt;
    rows.push({ ...record, inheritedFrom, domainId, position, ttlSeconds: ttl, changedAt, checkedAt: at });
    const isNew = !before && earlier.length > 0 && isShownOnlyIfFound(record);
    if (isNew || (before && isChanged && !isNothing(before, record)))
      addChange(record, before?.found ?? [], record.found);
  }
  const names = new Set(checked.map(keyOf));
  for (const row of earlier.filter((one) => !names.has(keyOf(one)))) {
    if (isUnknown(row, checked)) rows.push(kept(row, row.position));
    else if (isShownOnlyIfFound(row) && row.found.length > 0)
      addChange({ ...(row as unknown as CheckedRecord), status: 'missing' }, row.found, []);
  }
  return { rows, changes };
}

/** Whether nothing was found, neither before nor now: the first lookup failed, and there is no record. */
function isNothing(...results: { status: string; found: string[] }[]): boolean {
  return results.every(({ status, found }) => found.length === 0 && /^(missing|temporary_error)$/.test(status));
}

function kept(row: Row, position: number): NewRow {
  return { ...row, position, authoritative: row.authoritative ?? [] };
}

/** Whether the record that names this one has no answer now. */
function isUnknown({ purpose }: Row, checked: readonly CheckedRecord[]): boolean {
  const source = NAMED_BY[purpose];
  return checked.some((record) => record.purpose === source && record.status === 'temporary_error');
}

function isShownOnlyIfFound({ purpose, type }: { purpose: string; type: string }): boolean {
  return purpose === 'host' && type === 'AAAA';
}

function keyOf({ purpose, type, name }: { purpose: string; type: string; name: string }): string {
  return `${purpose} ${type} ${name}`;
}

function isSameSet(one: string[], other: string[]): boolean {
  return one.length === other.length && [...one].sort().every((value, index) => value === [...other].sort()[index]);
}
