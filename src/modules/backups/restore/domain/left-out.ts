import type { ClientBase } from 'pg';
import { BackupError } from '../../archive/format';
import { DOMAIN_TABLES, stagedName } from './tables';

/** A part of a domain that can't be restored as it was, with its table. The message says why. */
export type LeftOut = { table: string; message: string };

/**
 * Refuses to restore a domain over something else.
 * @throws BackupError
 */
export async function refuseConflicts(client: ClientBase, domainId: string): Promise<void> {
  const found = await namesOf(client, 'SELECT name FROM restored_domain');
  if (found.length === 0) throw new BackupError('The archive has no such domain.');
  const [name] = found;
  const { rowCount } = await client.query('SELECT FROM domain WHERE name = $1 AND id <> $2', [name, domainId]);
  if (rowCount)
    throw new BackupError(
      `${name} was added again since the backup, as another domain. Delete that one or give it another name, then restore.`,
    );
  for (const { name: table, ofDomain } of DOMAIN_TABLES) {
    if (table === 'domain' || table === 'admin_domain' || table === 'api_key') continue;
    const taken = await namesOf(
      client,
      `SELECT id::text AS name FROM "${table}" WHERE id IN (SELECT id FROM ${stagedName(table)})
          AND NOT coalesce(${ofDomain}, false) LIMIT 3`,
      [domainId],
    );
    if (taken.length > 0)
      throw new BackupError(
        `Rows of ${table} that ${name} had belong to another domain now: ${taken.join(', ')}. Delete or move them there, then restore.`,
      );
  }
}

/** Removes from the temporary tables what refers to something that is gone. */
export async function leaveOut(client: ClientBase, domainId: string): Promise<LeftOut[]> {
  const left: LeftOut[] = [];
  const note = async (table: string, sql: string, sentence: (name: string) => string, values: unknown[] = []) => {
    for (const name of await namesOf(client, sql, values)) left.push({ table, message: sentence(name) });
  };
  await note(
    'admin_domain',
    `DELETE FROM restored_admin_domain r WHERE NOT EXISTS (SELECT FROM admin a WHERE a.id = r.admin_id)
     RETURNING ${emailOf('r.admin_id')} AS name`,
    (email) => `${email} is no admin any more, so the domain is not assigned to that account.`,
  );
  await note(
    'api_key',
    `DELETE FROM restored_api_key r WHERE NOT EXISTS (SELECT FROM admin a WHERE a.id = r.admin_id)
     RETURNING r.name || '” of ' || ${emailOf('r.admin_id')} AS name`,
    (name) => `The API key “${name} is left out: its owner is no admin any more.`,
  );
  // Not ours alone: to bring it back, or change it, would change what someone can do in another domain.
  await client.query(
    `CREATE TEMPORARY TABLE restored_shared_key ON COMMIT DROP AS SELECT id FROM restored_api_key r
      WHERE cardinality(scoped_domain_ids) > 1
         OR EXISTS (SELECT FROM api_key k WHERE k.id = r.id AND k.scoped_domain_ids <> r.scoped_domain_ids)`,
  );
  await note(
    'api_key',
    `DELETE FROM restored_api_key r
      WHERE id IN (SELECT id FROM restored_shared_key)
     RETURNING CASE WHEN EXISTS (SELECT FROM api_key k WHERE k.id = r.id AND k.scoped_domain_ids = r.scoped_domain_ids)
                    THEN NULL ELSE r.name END AS name`,
    (name) => `The API key “${name}” is not restored: it covers other domains too, in the archive or now.`,
  );
  await note(
    'api_key',
    `WITH RECURSIVE orphan AS (
       SELECT r.id FROM restored_api_key r
        WHERE r.parent_id IS NOT NULL AND NOT EXISTS (SELECT FROM api_key k WHERE k.id = r.parent_id)
          AND NOT EXISTS (SELECT FROM restored_api_key k WHERE k.id = r.parent_id)
       UNION SELECT r.id FROM restored_api_key r JOIN orphan o ON r.parent_id = o.id)
     DELETE FROM restored_api_key r USING orphan o WHERE r.id = o.id RETURNING r.name AS name`,
    (name) => `The API key “${name}” is left out: the key that created it is revoked.`,
  );
  await note(
    'domain',
    `SELECT d.name FROM domain d JOIN mailbox m ON m.id = d.report_mailbox_id
      WHERE m.domain_id = $1 AND d.id <> $1 AND m.id NOT IN (SELECT id FROM restored_mailbox)`,
    (name) => `${name} reads reports from a mailbox that is removed; choose another one for it.`,
    [domainId],
  );
  return left;
}

function emailOf(id: string): string {
  return `coalesce((SELECT email FROM restored_admin WHERE id = ${id}), ${id}::text)`;
}

async function namesOf(client: ClientBase, sql: string, values: unknown[] = []): Promise<string[]> {
  const { rows } = await client.query<{ name: string | null }>(sql, values);
  return rows.flatMap(({ name }) => (name === null ? [] : [name]));
}
