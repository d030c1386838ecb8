import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkWork } from '@/modules/system/health/work';
import { alterAuditLog as alter, auditClient as client, EMPTIED, writeEntry } from '@/test/audit-log';
import { manualClock } from '@/test/clock';
import { db } from '@/test/database';
import { keyClient } from '@/test/rest';
import { START } from '../chain';
import type { AuditVerification } from '../schema';
import { sealAuditEntries } from '../seal';
import { signAccepted } from './accept';
import { type AuditAnchor, openAuditAnchor, setAuditAnchor } from './anchor';

const ENTRIES = 30;
const page = await readFile('docs/access.md', 'utf8');
const api = await keyClient();

let clock: ReturnType<typeof manualClock>;
let dataDir: string;
let anchor: AuditAnchor;

const write = (at = clock.now()) => writeEntry(at);

async function writeSealed(count = 1): Promise<void> {
  for (let i = 0; i < count; i += 1) await write();
  clock.advance(60);
  await sealAuditEntries(db, anchor);
}

/** Stops the instance and starts it again, so that it knows only what is in its DATA_DIR. */
async function restart(): Promise<void> {
  await anchor.end();
  anchor = setAuditAnchor(openAuditAnchor(dataDir, clock));
}

const verify = async (query = '?full=true') => (await api.get(`/audit/verify${query}`)).data as AuditVerification;
const health = () => anchor.check().map(({ status }) => status);
const idAt = async (seq: number) =>
  (await client.query('SELECT id FROM audit_entry WHERE seq = $1', [seq])).rows[0]?.id;

beforeEach(async () => {
  clock = manualClock(new Date().toISOString());
  await alter(EMPTIED);
  dataDir = await mkdtemp(join(tmpdir(), 'postroom-anchor-'));
  anchor = setAuditAnchor(openAuditAnchor(dataDir, clock));
  await sealAuditEntries(db, anchor);
  await writeSealed(ENTRIES);
  await client.query('DROP TABLE IF EXISTS copied_entry, copied_head');
  await client.query('CREATE TABLE copied_entry AS TABLE audit_entry; CREATE TABLE copied_head AS TABLE audit_head');
  await writeSealed(5);
  expect(await verify()).toMatchObject({ valid: true, sealed: ENTRIES + 5, untimely_entries: 0 });
  expect(health()).toEqual(['ok']);
});
afterEach(() => rm(dataDir, { recursive: true }));

const RECOMPUTED = `DO $$ DECLARE entry audit_entry; previous bytea := ''; BEGIN
  FOR entry IN SELECT * FROM audit_entry ORDER BY seq LOOP
    UPDATE audit_entry e SET prev_hash = previous, hash = audit_entry_hash(entry, entry.seq, previous) WHERE id = entry.id
    RETURNING hash INTO previous;
  END LOOP;
  UPDATE audit_head SET hash = previous;
END $$`;
const LYING = `CREATE OR REPLACE FUNCTION audit_entry_hash(entry audit_entry, place bigint, previous bytea) RETURNS bytea
  LANGUAGE sql IMMUTABLE AS $$ SELECT hash FROM audit_entry e WHERE e.id = entry.id $$`;
const HONEST = `CREATE OR REPLACE FUNCTION audit_entry_hash(entry audit_entry, place bigint, previous bytea) RETURNS bytea
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT sha256(previous || convert_to(audit_entry_text(entry, place), 'UTF8')) $$`;

/** Attacks by somebody with the database alone, by their sentence in docs/access.md, with the result of "Verify all" and the health. */
const DETECTED: [sentence: string, act: () => Promise<void>, expected: object, health: 'ok' | 'down'][] = [
  [
    'edits a sealed entry',
    () => alter("UPDATE audit_entry SET action = 'x' WHERE seq = 9"),
    { message: /^Entry \S+, or one just before it/ },
    'ok',
  ],
  [
    'deletes or inserts a sealed entry',
    () => alter('DELETE FROM audit_entry WHERE seq = 9'),
    { message: /^Entry \S+, or one just before it/ },
    'ok',
  ],
  [
    'deletes the last entries',
    () => alter('DELETE FROM audit_entry WHERE seq > 30'),
    { message: /ends with entry 30 .+ its signed end is entry 35|missing at the end/ },
    'down',
  ],
  [
    'edits an entry and recomputes all hashes',
    () => alter(`UPDATE audit_entry SET action = 'x' WHERE seq = 9; ${RECOMPUTED}`),
    { message: /entry 35 .+ is not signed with a key in SECRET_KEY/ },
    'down',
  ],
  [
    'puts back an earlier state of the log, with its signed end',
    () =>
      alter(`TRUNCATE audit_entry, audit_head; INSERT INTO audit_entry SELECT * FROM copied_entry;
             INSERT INTO audit_head SELECT * FROM copied_head`),
    { message: /ends with entry 30 .+ and had entry 35/ },
    'down',
  ],
  [
    'empties the log, so that it looks unused',
    () => alter(EMPTIED),
    { message: /ends with no entry in the database, and had entry 35/ },
    'down',
  ],
  [
    'deletes entries and clears the hashes of the others, so that Postroom would seal them again',
    () =>
      alter(`DELETE FROM audit_entry WHERE seq IN (7, 8); UPDATE audit_entry SET seq = NULL, hash = NULL, prev_hash = NULL;
             UPDATE audit_head SET seq = 0, hash = '', signature = NULL;
             TRUNCATE audit_verified, audit_archived, audit_accepted`),
    { message: /ends with no entry in the database, and had entry 35/, unsealed: ENTRIES + 5 - 2 + 1 },
    'down',
  ],
  [
    'deletes old entries as if they had been archived',
    () =>
      alter(`INSERT INTO audit_archived (seq, hash, signature, archived_at) SELECT seq, hash, 'x', now() FROM audit_entry
              WHERE seq = 9; DELETE FROM audit_entry WHERE seq <= 9`),
    { message: 'The record of the archived entries was altered.' },
    'ok',
  ],
  [
    'replaces the functions that seal and hash entries',
    async () => {
      await client.query(LYING);
      await alter("UPDATE audit_entry SET action = 'x' WHERE seq = 9");
    },
    { message: /^Entry \S+, or one just before it/ },
    'ok',
  ],
  [
    'writes that the log may go back, or repeats what was signed for an earlier time',
    async () => {
      const earlier = { ...START, at: new Date(clock.now().getTime() - 3_600_000) };
      await alter(`${EMPTIED};
        INSERT INTO audit_accepted (seq, hash, signature, accepted_at)
        VALUES (0, '', '${signAccepted(earlier)}', '${earlier.at.toISOString()}')`);
    },
    { message: /and had entry 35/ },
    'down',
  ],
];

describe('somebody with the database alone', () => {
  it.each(DETECTED)('%s: detected', async (sentence, act, expected, status) => {
    expect(page).toContain(`| ${sentence} |`);
    await anchor.end();
    await act();
    for (const isRestarted of [false, true]) {
      if (isRestarted) await restart();
      if (!isRestarted) await write();
      clock.advance(2);
      await sealAuditEntries(db, anchor).catch(() => {});
      const { message, ...others } = expected as { message: string | RegExp };
      const verdict = await verify();
      expect(verdict).toMatchObject({ valid: false, ...others });
      expect(verdict.message).toMatch(message);
      expect(health()).toEqual([status]);
    }
    await client.query(HONEST);
  });

  it('adds an entry with an earlier time: listed', async () => {
    expect(page).toContain('| adds an entry with an earlier time |');
    await write(new Date(clock.now().getTime() - 3_600_000));
    await sealAuditEntries(db, anchor);
    await writeSealed();
    const id = await idAt(ENTRIES + 6);
    expect(await verify()).toMatchObject({ valid: true, untimely_entries: 1, untimely_ids: [id] });
    // It can't take the mark away without breaking the hash.
    await alter(`UPDATE audit_entry SET sealed_at = NULL WHERE seq = ${ENTRIES + 6}`);
    expect(await verify()).toMatchObject({ valid: false, first_bad_id: id });
  });

  it('keeps entries from being sealed: the health check of unsealed entries fails', async () => {
    expect(page).toContain('| keeps entries from being sealed |');
    await client.query('BEGIN; SELECT pg_advisory_xact_lock(7203003)');
    await write(new Date(Date.now() - 120_000));
    await sealAuditEntries(db, anchor);
    await client.query('COMMIT');
    expect((await checkWork(db)).find(({ name }) => name === 'audit_log')?.status).toBe('degraded');
  });

  it('edits, deletes or adds an entry of the last seconds, with a time of the last minutes: not detected', async () => {
    expect(page).toContain('edits, deletes or adds an entry of the last seconds');
    await write();
    await alter("UPDATE audit_entry SET action = 'x' WHERE seq IS NULL");
    await write(new Date(clock.now().getTime() - 60_000));
    await sealAuditEntries(db, anchor);
    expect(await verify()).toMatchObject({ valid: true, untimely_entries: 0 });
  });

  it('edits an entry that was verified before: detected only by "Verify all"', async () => {
    expect(page).toContain('reads what was sealed since the last verification');
    await alter("UPDATE audit_entry SET action = 'x' WHERE seq = 9");
    expect(await verify('')).toMatchObject({ valid: true, checked: 0 });
    expect(await verify()).toMatchObject({ valid: false, first_bad_id: await idAt(9) });
  });
});

it('somebody with the database and SECRET_KEY: not detected', async () => {
  expect(page).toContain('Somebody with the database and `SECRET_KEY`');
  const accepted = { ...START, at: clock.now() };
  await alter(`${EMPTIED};
    INSERT INTO audit_accepted (seq, hash, signature, accepted_at)
    VALUES (0, '', '${signAccepted(accepted)}', '${accepted.at.toISOString()}')`);
  await writeSealed();
  expect(await verify()).toMatchObject({ valid: true, sealed: 1 });
});

it('an end in DATA_DIR that was altered, or that another key signed, is reported', async () => {
  await anchor.end();
  const file = join(dataDir, 'audit-head');
  const text = await readFile(file, 'utf8');
  expect(text).toMatch(/^\{"seq":"35",.+\}\.[\w-]{43}\n$/);
  await writeFile(file, text.replace('"seq":"35"', '"seq":"0"'));
  anchor = setAuditAnchor(openAuditAnchor(dataDir, clock));
  await sealAuditEntries(db, anchor);
  expect(await verify()).toMatchObject({ valid: false, message: expect.stringMatching(/audit-head was altered/) });
  expect(health()).toEqual(['down']);
});
