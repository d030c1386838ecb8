import { entityTag, type RecordKind, recordVersion, type Versioned } from '@/lib/record-version';

const IF_MATCH = Symbol('If-Match');

/**
 * Returns the input of a change or deletion, to be made only if the record still is as it was loaded. The version isn't part of
 * the call's schema: it is sent as `If-Match`, and JSON leaves a symbol out.
 */
export function ifUnchanged<Kind extends RecordKind, Input extends object>(
  kind: Kind,
  record: Versioned<Kind>,
  input: Input,
): Input {
  return { ...input, [IF_MATCH]: entityTag(recordVersion(kind, record)) };
}

export function ifMatchOf(input: unknown): string | null {
  return (typeof input === 'object' && (input as { [IF_MATCH]?: string } | null)?.[IF_MATCH]) || null;
}
