import type { ClientBase } from 'pg';
import { acceptRestoredLog } from '@/modules/audit/service';
import type { Archive } from '../archive/read';
import { amountOf } from '../operations/text';

/** The tables of the audit log. A restore erases nothing in them. */
export const AUDIT_TABLES: readonly string[] = [
  'audit_archived',
  'audit_entry',
  'audit_head',
  'audit_verified',
  'denied_attempt',
];

type Place = { seq: string; hash: string };

/** The audit log after a restore. */
export type AuditResult = {
  /** Entries that are newer than the backup. */
  kept: number;
  /** The end of the log before the restore. */
  formerHead: Place;
};

async function findHead(client: ClientBase): Promise<Place> {
  const { rows } = await client.query<Place>("SELECT seq::text, encode(hash, 'hex') AS hash FROM audit_head");
  return rows[0] ?? { seq: '0', hash: '' };
}

/** The plan of a restore for the audit log. */
export type AuditPlan = {
  /** Tables that stay as they are. */
  untouched: readonly string[];
  /** Runs before tables are emptied. */
  prepare: () => Promise<void>;
  /** Runs when the rows of the archive are there. */
  complete: () => Promise<AuditResult>;
};

/**
 * A log that continues that of the archive stays as it is. Otherwise the archive's takes its place, and what that doesn't
 * have is added to it, to be sealed again.
 */
export async function planAuditLog(client: ClientBase, archive: Archive): Promise<AuditPlan> {
  const formerHead = await findHead(client);
  if (await continuesArchive(client, archive))
    return {
      untouched: AUDIT_TABLES,
      prepare: async () => {},
      complete: async () => ({ formerHead, kept: await countNewer(client, archive) }),
    };
  return {
    untouched: [],
    prepare: () => setAside(client),
    complete: async () => ({ formerHead, kept: await addFormer(client, archive) }),
  };
}

/** Whether the log of the database continues that of an archive, which then has nothing to add. */
export async function continuesArchive(client: ClientBase, { header }: Archive): Promise<boolean> {
  const end = header.audit_head;
  if (!end) return false;
  if (end.seq === '0') return (await findHead(client)).seq !== '0';
  const { rows } = await client.query(
    `SELECT FROM audit_entry WHERE seq = $1 AND hash = decode($2, 'hex')
     UNION ALL SELECT FROM audit_archived WHERE seq > $1 OR (seq = $1 AND hash = decode($2, 'hex'))`,
    [end.seq, end.hash],
  );
  return rows.length > 0;
}

/** Counts the entries of a log that continues that of an archive. */
export async function countNewer(client: ClientBase, { header }: Archive): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `SELECT ((SELECT seq FROM audit_head) - $1::bigint + (SELECT count(*) FROM audit_entry WHERE seq IS NULL))::int AS count`,
    [header.audit_head?.seq ?? '0'],
  );
  return Math.max(rows[0]?.count ?? 0, 0);
}

/** Copies what is about to be replaced by the log of an archive that the log of the database doesn't continue. */
async function setAside(client: ClientBase): Promise<void> {
  await client.query(`
    CREATE TEMPORARY TABLE former_audit_entry ON COMMIT DROP AS TABLE audit_entry;
    CREATE TEMPORARY TABLE former_denied_attempt ON COMMIT DROP AS TABLE denied_attempt`);
}

/** Columns that differ without an edit. */
const SEALED_LATER = "ARRAY['seq', 'prev_hash', 'hash', 'sealed_at', 'search_key']";

/**
 * Adds the entries that were set aside and that the archive doesn't have, to be sealed after its own. An entry of the archive
 * takes the place of none with other content, because somebody can have made the archive for that. Signs the end of the
 * archive's log as accepted, so that instances which know another one follow it.
 * @returns the number of entries
 */
async function addFormer(client: ClientBase, { secrets }: Archive): Promise<number> {
  await client.query(`
    DELETE FROM former_audit_entry f USING audit_entry e
     WHERE e.id = f.id AND to_jsonb(e) - ${SEALED_LATER} = to_jsonb(f) - ${SEALED_LATER};
    UPDATE former_audit_entry SET id = gen_random_uuid() WHERE id IN (SELECT id FROM audit_entry);
    UPDATE former_audit_entry SET seq = NULL, prev_hash = NULL, hash = NULL, sealed_at = NULL;
    INSERT INTO denied_attempt SELECT * FROM former_denied_attempt ON CONFLICT DO NOTHING`);
  const { rowCount } = await client.query('INSERT INTO audit_entry SELECT * FROM former_audit_entry');
  await acceptRestoredLog((text, values) => client.query(text, values).then(({ rows }) => rows), secrets.secret_keys);
  return rowCount ?? 0;
}

/** Returns the details about the log for the entry of a restore. */
export function auditDetails(audit: AuditResult | null): object {
  return audit ? { kept_entries: audit.kept, former_head: audit.formerHead } : {};
}

/** A sentence for the person who restores; empty for none. */
export function keptText(kept: number): string {
  if (kept === 0) return '';
  return kept === 1 ? '1 newer audit entry is kept.' : `${amountOf(kept)} newer audit entries are kept.`;
}
