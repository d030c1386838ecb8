import { createHash, randomBytes } from 'node:crypto';
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import pg from 'pg';
import { afterAll, inject } from 'vitest';
import type { ArchiveSource, Secrets } from '@/modules/backups/archive/format';
import { findTables } from '@/modules/backups/archive/tables';
import { writeArchive } from '@/modules/backups/archive/write';
import { MIGRATIONS } from '@/server/migrations/migrations.mjs';

export const identity = await generateX25519Identity();

export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  client.on('error', () => {});
  await client.connect();
  afterAll(() => client.end());
  return client;
}

/** A migrated database without content, besides that of the test file. */
export async function makeDatabase(template = inject('template')): Promise<{ url: string; client: pg.Client }> {
  const name = `postroom_restored_${randomBytes(6).toString('hex')}`;
  const admin = await connect(inject('adminUrl'));
  await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
  afterAll(() => admin.query(`DROP DATABASE ${name} WITH (FORCE)`));
  const url = Object.assign(new URL(inject('adminUrl')), { pathname: `/${name}` }).href;
  return { url, client: await connect(url) };
}

/** An archive of a database, for `identity`. */
export async function backUp(
  client: pg.Client,
  secrets: Secrets = { secret_keys: [String(process.env.SECRET_KEY)] },
): Promise<Buffer> {
  const recipients = [await identityToRecipient(identity)];
  return buffer(await writeArchive(client, { version: '0.1.0', now: new Date(), secrets, recipients }));
}

export function sourceOf(bytes: Buffer, identities: readonly string[] = [identity]): ArchiveSource {
  return { open: async () => Readable.from([bytes]), keys: { identities } };
}

/**
 * Makes a folder with the migrations of this version and a later one.
 * @param inBaseline statements after those of the baseline, of another build
 */
export function makeMigrations(sql: string, inBaseline = ''): string {
  const folder = mkdtempSync(join(tmpdir(), 'postroom-test-migrations-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  cpSync(MIGRATIONS, folder, { recursive: true });
  appendFileSync(join(folder, '20261121000000_baseline', 'migration.sql'), inBaseline);
  mkdirSync(join(folder, '20990101000000_later'));
  writeFileSync(join(folder, '20990101000000_later', 'migration.sql'), sql);
  return folder;
}

/** Returns a hash of everything in a database, table by table. */
export async function hashOf(client: pg.Client): Promise<Record<string, string>> {
  const hashes: Record<string, string> = {};
  for (const { name } of await findTables(client)) {
    const { rows } = await client.query(`SELECT t::text AS row FROM "${name}" AS t ORDER BY t::text COLLATE "C"`);
    hashes[name] = `${rows.length} ${createHash('sha256').update(JSON.stringify(rows)).digest('hex')}`;
  }
  return hashes;
}

/** Definitions of everything that a restore may drop and make again. */
export async function catalogOf(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ line: string }>(`
    SELECT concat_ws(' ', i.indrelid::regclass, pg_get_indexdef(i.indexrelid), to_jsonb(i) - ARRAY['indexrelid', 'indrelid',
                     'indcheckxmin'], inhparent::regclass, c.reloptions, c.relowner) AS line
      FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid LEFT JOIN pg_inherits ON inhrelid = c.oid
     WHERE c.relnamespace = 'public'::regnamespace
    UNION ALL
    SELECT concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid), convalidated, conindid::regclass)
      FROM pg_constraint WHERE connamespace = 'public'::regnamespace
    UNION ALL
    SELECT concat_ws(' ', tgrelid::regclass, pg_get_triggerdef(oid), tgenabled) FROM pg_trigger WHERE NOT tgisinternal
    UNION ALL
    SELECT concat_ws(' ', tgrelid::regclass, tgfoid::regproc, tgtype, tgenabled) FROM pg_trigger WHERE tgisinternal
    ORDER BY 1`);
  return rows.map(({ line }) => line);
}
