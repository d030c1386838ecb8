import type { ClientBase } from 'pg';
import { resealSecrets } from '@/server/secrets/reseal';
import type { ReadOptions, Table } from '../../archive/format';
import type { Archive } from '../../archive/read';
import { SESSION_SETTINGS } from '../../archive/tables';
import type { TableDifference } from '../compare';
import type { LoadOptions, LoadResult } from '../load';
import { lockTables } from '../lock-tables';
import { type LeftOut, leaveOut, refuseConflicts } from './left-out';
import { compareDomain, mergeDomain } from './merge';
import { stageDomain } from './stage';
import { ADMINS, DOMAIN_TABLES, stagedName } from './tables';

/**
 * Makes one domain what it was in the archive, and touches nothing else: settings, DKIM keys, mailboxes, aliases, filters,
 * webhooks, API keys of that domain alone, and the admins it is assigned to. Suppressions are only added. The archive is read before
 * anything is locked.
 * @throws ArchiveError
 * @throws BackupError if something else took its place
 */
export async function restoreDomain(
  client: ClientBase,
  archive: Archive,
  domainId: string,
  { onProgress, record, signal }: LoadOptions,
): Promise<LoadResult> {
  return inTransaction(client, archive, { domainId, onProgress }, async (tables) => {
    const locked = [ADMINS, ...DOMAIN_TABLES.map(({ name }) => name)];
    await lockTables(client, locked, { mode: 'SHARE ROW EXCLUSIVE', signal });
    await refuseConflicts(client, domainId);
    const leftOut = await leaveOut(client, domainId);
    const { unopened } = await resealSecrets(
      (text, values) => client.query(text, values).then(({ rows }) => rows),
      archive.secrets.secret_keys,
      { webhook: stagedName('webhook'), dkim_key: stagedName('dkim_key') },
    );
    const rows = await mergeDomain(client, tables, domainId);
    const result = { rows, unopened, leftOut: leftOut.map(({ message }) => message), audit: null };
    await record?.(result);
    signal?.throwIfAborted();
    await client.query('COMMIT');
    return result;
  });
}

/** Returns the changes that `restoreDomain` would make. @throws as it does */
export async function previewDomain(
  client: ClientBase,
  archive: Archive,
  domainId: string,
  { onProgress }: ReadOptions,
): Promise<TableDifference[]> {
  return inTransaction(client, archive, { domainId, onProgress }, async (tables) => {
    await refuseConflicts(client, domainId);
    const leftOut = await leaveOut(client, domainId);
    const differences = await compareDomain(client, tables, domainId);
    await client.query('ROLLBACK');
    return differences.map((difference) => ({ ...difference, leftOut: messagesFor(difference.table, leftOut) }));
  });
}

function messagesFor(table: string, leftOut: readonly LeftOut[]): string[] {
  return leftOut.filter((each) => each.table === table).map(({ message }) => message);
}

async function inTransaction<Result>(
  client: ClientBase,
  archive: Archive,
  { domainId, onProgress }: { domainId: string; onProgress: ReadOptions['onProgress'] },
  work: (tables: Table[]) => Promise<Result>,
): Promise<Result> {
  await client.query('BEGIN');
  try {
    await client.query(SESSION_SETTINGS);
    return await work(await stageDomain(client, archive, domainId, onProgress));
  } catch (error) {
    archive.close();
    // A connection that has ended is rolled back by Postgres.
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}
