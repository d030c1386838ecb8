import type { z } from 'zod';
import { entityTag, recordVersion } from '@/lib/record-version';
import type { Tx } from '../db';
import { AppError } from '../errors';
import { Prisma } from '../prisma/client';
import type { ActorContext } from './context';

/** How the record of a route is read and locked, and what its version is. */
export type Versioned = {
  read: (ctx: ActorContext, input: { id: string }) => Promise<object>;
  /** Locks the row of the record, for tables whose verb hasn't locked it before. */
  lock: (tx: Tx, id: string) => Promise<unknown>;
  versionOf: (record: object) => string;
};

type Table = 'admin' | 'alert' | 'alias' | 'domain' | 'mailbox' | 'saved_view' | 'sieve_filter' | 'webhook';

type Options<Record extends object> = {
  /** Reads the record as the caller may see it. */
  read: (ctx: ActorContext, input: { id: string }) => Promise<Record>;
  /** The table whose row is locked while the version is compared. Without it, the verb holds a lock of its own. */
  table?: Table;
};

/** A record whose version counts the fields that `update`, the schema of its PATCH, sets. */
export function versioned<Record extends object>(update: z.ZodObject, options: Options<Record>): Versioned {
  const fields = Object.keys(update.shape);
  return versionedBy((record: Record) => recordVersion(record, fields), options);
}

/** A record with another version than its fields. */
export function versionedBy<Record extends object>(
  versionOf: (record: Record) => string,
  { read, table }: Options<Record>,
): Versioned {
  const lock: Versioned['lock'] = async (tx, id) =>
    table && tx.$queryRaw`SELECT 1 FROM ${Prisma.raw(`"${table}"`)} WHERE id = ${id}::uuid FOR NO KEY UPDATE`;
  return { read, lock, versionOf: versionOf as Versioned['versionOf'] };
}

/** The versions that a caller accepts: any, or these. */
type Accepted = '*' | Set<string>;

/** What `If-Match` demands of a change: the record and the versions that it may have. */
export type Condition = { versioned: Versioned; accepted: Accepted; id: string };

const TAG = /[\t ]*(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[\t ]*(,|$)/y;

/** Reads `If-Match`. Weak and strong tags of one version are the same. @throws VALIDATION_ERROR */
export function readIfMatch(header: string): Accepted {
  if (header.trim() === '*') return '*';
  const versions = new Set<string>();
  TAG.lastIndex = 0;
  for (let isLast = false; !isLast; ) {
    const [, version, separator] = TAG.exec(header) ?? [];
    if (version === undefined) throw invalidIfMatch('Send entity tags such as W/"0123456789abcdef", or *.');
    versions.add(version);
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
export async function requireAccepted(
  ctx: ActorContext,
  tx: Tx,
  { versioned, accepted, id }: Condition,
): Promise<void> {
  const { lock, read, versionOf } = versioned;
  await lock(tx, id);
  const current = await read({ ...ctx, db: tx as ActorContext['db'] }, { id });
  const version = versionOf(current);
  if (accepted !== '*' && !accepted.has(version)) throw versionConflict(current, version);
}

export function versionConflict(current: object, version: string, message = CHANGED_SINCE): AppError {
  return new AppError('VERSION_CONFLICT', message, { details: { current }, headers: { ETag: entityTag(version) } });
}

const CHANGED_SINCE =
  'The record has changed since you loaded it, so nothing was saved. Load it again, then repeat your change.';
