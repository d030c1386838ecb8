import { diffArrays } from 'diff';
import { formatBytes, formatCount, formatFull } from '../format';
import { splitDestinations } from '../mail/destinations';
import { asSet } from '../record-version';
import { fieldLabel } from './field-labels';

export type ChangedLine = {
  /** `gap` counts lines or entries that stayed as they were and aren't shown. */
  sign: 'added' | 'removed' | 'kept' | 'gap';
  text: string;
};

/** A field that a change set: one line for a value, for each entry of a list, or for each line of a text. */
export type FieldChange = { field: string; label: string; lines: ChangedLine[] };

export type RecordFields = Readonly<Record<string, unknown>>;

/** Names of records by their id, for fields that refer to others. */
export type Names = Readonly<Record<string, string>>;

/** Fields that follow from others, that a record has of its use, or that only identify it. */
const BOOKKEEPING: ReadonlySet<string> = new Set([
  'admin_email',
  'admin_id',
  'alias_count',
  'created_at',
  'created_by',
  'dmarc_policy',
  'dns_status',
  'failing_since',
  'failures_in_row',
  'id',
  'last_login_at',
  'last_used_at',
  'local_part',
  'mailbox_count',
  'password_changed_at',
  'percent_full',
  'source_local_part',
  'suspended_at',
  'updated_at',
  'used_bytes',
  'verified_at',
  'warnings',
]);

/** Lines of a text that are shown around those that changed. */
const CONTEXT_LINES = 2;
/** Entries of a list that stayed and are shown; more are counted. An alias has at most ten destinations. */
const MAX_KEPT = 10;

/** Returns the names of the fields in which two versions of a record differ, without bookkeeping. */
export function changedFields(before: RecordFields, after: RecordFields): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.filter((name) => !BOOKKEEPING.has(name) && !isSame(before[name], after[name]));
}

/**
 * Returns what a change did to a record, field by field. Null for a record that did not exist before, or doesn't after: then
 * its fields that have a value are listed.
 */
export function recordChanges(
  before: RecordFields | null,
  after: RecordFields | null,
  names: Names = {},
): FieldChange[] {
  const [old, current] = [flat(before ?? {}), flat(after ?? {})];
  return changedFields(old, current)
    .filter((field) => !isSaidByAnother(field, before ?? after ?? {}))
    .map((field) => {
      // A field that one of two existing versions lacks was not recorded there.
      const lines = linesOf(field, [
        field in old ? old[field] : undefined,
        field in current ? current[field] : undefined,
      ]);
      return {
        field,
        label: fieldLabel(field),
        lines: lines.map((line) => ({ ...line, text: names[line.text] ?? line.text })),
      };
    })
    .filter(({ lines }) => lines.length > 0);

  function linesOf(field: string, [one, other]: [unknown, unknown]): ChangedLine[] {
    if (isList(field, one ?? other)) return listLines(entriesOf(field, one), entriesOf(field, other));
    if (isText(one) || isText(other)) return textLines(`${one ?? ''}`, `${other ?? ''}`);
    const isWhole = before === null || after === null;
    const shown = (value: unknown) => value !== undefined && !(isWhole && isNothing(field, value));
    return [
      ...(shown(one) ? [{ sign: 'removed' as const, text: valueText(field, one) }] : []),
      ...(shown(other) ? [{ sign: 'added' as const, text: valueText(field, other) }] : []),
    ];
  }
}

/** Whether a value of a new or deleted record says nothing. A switch that is off says something only if it is its state. */
function isNothing(field: string, value: unknown): boolean {
  return value === null || value === '' || (value === false && field !== 'active');
}

/** Returns a single value in words. */
function valueText(field: string, value: unknown): string {
  if (value === null || value === '') return /quota|^max_/.test(field) ? 'No limit' : 'Not set';
  if (field === 'active') return value ? 'Active' : 'Inactive';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value === 'number') return field.endsWith('_bytes') ? formatBytes(value) : formatCount(value);
  const isTime = field.endsWith('_at') && typeof value === 'string' && !Number.isNaN(Date.parse(value));
  return isTime ? formatFull(value) : String(value);
}

function listLines(before: string[], after: string[]): ChangedLine[] {
  const [old, current] = [new Set(before), new Set(after)];
  const kept = after.filter((entry) => old.has(entry));
  const removed = before.filter((entry) => !current.has(entry));
  return [
    ...(kept.length > MAX_KEPT
      ? [gapOf(kept.length, 'entries')]
      : kept.map((text) => ({ sign: 'kept' as const, text }))),
    ...removed.map((text) => ({ sign: 'removed' as const, text })),
    ...after.filter((entry) => !old.has(entry)).map((text) => ({ sign: 'added' as const, text })),
  ];
}

/** Compares texts line by line, and leaves out what is far from a change. */
function textLines(before: string, after: string): ChangedLine[] {
  const [old, current] = [before, after].map((text) => (text === '' ? [] : text.replace(/\n$/, '').split('\n')));
  const parts = diffArrays(old ?? [], current ?? []);
  return parts.flatMap(({ value, added, removed }, index): ChangedLine[] => {
    if (added || removed) return value.map((text) => ({ sign: added ? 'added' : 'removed', text }));
    const kept = (lines: string[]) => lines.map((text) => ({ sign: 'kept' as const, text }));
    const head = index === 0 ? 0 : CONTEXT_LINES;
    const tail = index === parts.length - 1 ? 0 : CONTEXT_LINES;
    const left = value.length - head - tail;
    if (left <= 1) return kept(value);
    return [...kept(value.slice(0, head)), gapOf(left, 'lines'), ...kept(value.slice(value.length - tail))];
  });
}

function gapOf(count: number, what: string): ChangedLine {
  return { sign: 'gap', text: `${formatCount(count)} unchanged ${what}` };
}

/** Destinations are a list, although the API has them as one text. */
function isList(field: string, value: unknown): boolean {
  return Array.isArray(value) || (field === 'destination' && typeof value === 'string');
}

function entriesOf(field: string, value: unknown): string[] {
  if (field === 'destination' && typeof value === 'string') return splitDestinations(value).map((each) => each.trim());
  return Array.isArray(value) ? value.map((each) => (isObject(each) ? JSON.stringify(each) : String(each))) : [];
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.includes('\n');
}

/** Whether the record names the other record itself, by its address or in a field of its own. */
function isSaidByAnother(field: string, record: RecordFields): boolean {
  if (field === 'domain_id' && ('address' in record || 'local_part' in record)) return true;
  return field.endsWith('_id') && field.slice(0, -'_id'.length) in record;
}

/** Puts the fields of objects within a record beside the others, since nobody reads JSON. */
function flat(record: RecordFields): RecordFields {
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) =>
      isObject(value) ? Object.entries(flat(value)) : [[name, value]],
    ),
  );
}

function isObject(value: unknown): value is RecordFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(asSet(one)) === JSON.stringify(asSet(other));
}
