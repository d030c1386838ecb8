import { entityTag, type RecordKind, recordVersion, type Versioned } from '@/lib/record-version';
import type { Tx } from '../database/db';
import { AppError } from '../errors';
import { Prisma } from '../prisma/client';
import type { ActorContext } from './context';

/** How the record of a route is read and locked, and what its version is. */
export type VersionedRecord = {
  /** Null for the settings, whose version counts them all. */
  kind: RecordKind | null;
  read: (ctx: ActorContext, input: { id: string }) => Promise<object>;
  /** Null if the verbs lock the row themselves. */
  table: string | null;
  versionOf: (record: never) => string;
};

const LOCKED_BY_VERB: RecordKind[] = ['abuse_threshold', 'cluster_node'];

/** The declaration of a record that can be edited. `read` returns it as the caller may see it. */
export function versioned<Kind extends RecordKind>(
  kind: Kind,
  read: (ctx: ActorContext, input: { id: string }) => Promise<Versioned<Kind>>,
): VersionedRecord {
  const table = LOCKED_BY_VERB.includes(kind) ? null : kind === 'profile' ? 'admin' : kind;
  return { kind, read, table, versionOf: (record: Versioned<Kind>) => recordVersion(kind, record) };
}

/** The versions that a caller accepts: any, or these. */
type Accepted = '*' | Set<string>;

/** The condition that `If-Match` puts on a change: the record and the versions that it may have. */
export type Condition = { record: VersionedRecord; accepted: Accepted; id: string };

// Reverse proxies that compress responses add this to the tag, such as Apache's mod_deflate. No version ends so.
const CODING = /(?:-|;)(?:gzip|br|zstd)$/;
const TAG = /[\t ]*(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[\t ]*(,|$)/y;

/** Reads `If-Match`. Weak and strong tags of one version are the same. @throws VALIDATION_ERROR */
export function readIfMatch(header: string): Accepted {
  if (header.trim() === '*') return '*';
  const versions = new Set<string>();
  TAG.lastIndex = 0;
  for (let isLast = false; !isLast; ) {
    const [, version, separator] = TAG.exec(header) ?? [];
    if (version === undefined) throw invalidIfMatch('Send entity tags such as W/"0123456789abcdef", or *.');
    versions.add(version.replace(CODING, ''));
    isLast = separator === '';
  }
  return versions;
}

export function invalidIfMatch(message: string): AppError {
  return new AppError('VALIDATION_ERROR', `If-Match: ${message}`, {
    details: { fields: [{ path: 'If-Match', message }] },
  });
}

/** Locks the record until the transaction ends and compares its version. @throws VERSION_CONFLICT, NOT_FOUND */
export async function requireAccepted(ctx: ActorContext, tx: Tx, { record, accepted, id }: Condition): Promise<void> {
  const { table, read, versionOf } = record;
  if (table) await tx.$queryRaw`SELECT 1 FROM ${Prisma.raw(`"${table}"`)} WHERE id = ${id}::uuid FOR NO KEY UPDATE`;
  const current = await read({ ...ctx, db: tx as ActorContext['db'] }, { id });
  const version = versionOf(current as never);
  if (accepted !== '*' && !accepted.has(version)) throw versionConflict(current, version);
}

export function versionConflict(current: object, version: string, message = CHANGED_SINCE): AppError {
  return new AppError('VERSION_CONFLICT', message, { details: { current }, headers: { ETag: entityTag(version) } });
}

const CHANGED_SINCE = 'This record was changed after you loaded it. Load it again, then repeat your change.';
