import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADVISORY_LOCKS } from '@/server/database/advisory-locks';
import { db } from '@/test/database';
import { expectError, keyClient } from '@/test/rest';
import { sealAuditEntries } from './seal';

const WRITERS = 16;
// More than one batch of a verification.
const ROWS = 6_400;

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: WRITERS });
const query = (text: string, values: unknown[] = []) => pool.query(text, values);

beforeAll(async () => {
  const write = async (writer: number) => {
    for (let batch = 0; batch < 10; batch++) {
      await query(
        `INSERT INTO audit_entry (id, action, resource, ip_address, user_agent, request_id, outcome, details, created_at)
         SELECT gen_random_uuid(), 'domain.update', 'domain:' || n, '192.0.2.1', $1, gen_random_uuid(), 'success',
                jsonb_build_object('after', jsonb_build_object('n', n)), now() + n * interval '1 ms'
           FROM generate_series(1, $2) n`,
        [`writer ${writer}`, ROWS / WRITERS / 10],
      );
    }
  };
  const writing = Promise.all(Array.from({ length: WRITERS }, (_, i) => write(i)));
  let isWriting = true;
  const done = writing.finally(() => {
    isWriting = false;
  });
  // Two instances seal while the writers write.
  const sealing = Array.from({ length: 2 }, async () => {
    while (isWriting) await sealAuditEntries(db, null);
  });
  await Promise.all([done, ...sealing]);
  await sealAuditEntries(db, null);
}, 180_000);

afterAll(() => pool.end());

async function verify(query = '?full=true') {
  return (await (await keyClient()).get(`/audit/verify${query}`)).data;
}

/** Changes the table with triggers disabled, as someone with the database password could, verifies, and undoes it. */
async function tamper(statement: string, undo: string, query?: string): Promise<unknown> {
  const withoutTriggers = async (text: string) => {
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      await client.query('SET LOCAL session_replication_role = replica');
      await client.query(text);
      await client.query('COMMIT');
    } finally {
      client.release();
    }
  };
  await withoutTriggers(statement);
  const verdict = await verify(query);
  await withoutTriggers(undo);
  return verdict;
}

async function idAt(seq: number): Promise<string> {
  return (await query('SELECT id FROM audit_entry WHERE seq = $1', [seq])).rows[0].id;
}

const COPY =
  'CREATE TABLE IF NOT EXISTS kept AS SELECT * FROM audit_entry WITH NO DATA; TRUNCATE kept; INSERT INTO kept';

describe('entries by 16 writers, sealed concurrently', () => {
  it('form one unbroken chain', async () => {
    expect(await verify()).toEqual({
      valid: true,
      entries: ROWS,
      sealed: ROWS,
      unsealed: 0,
      checked: ROWS,
      archived: 0,
      first_bad_id: null,
      untimely_entries: 0,
      untimely_ids: [],
      known_since_entry: null,
      message: expect.any(String),
    });
    const { rows } = await query('SELECT min(seq), max(seq), count(DISTINCT seq) FROM audit_entry');
    expect(rows).toEqual([{ min: '1', max: String(ROWS), count: String(ROWS) }]);
  });

  it.each([
    ["action = 'x'", "action = 'domain.update'"],
    ["details = '{}'", `details = jsonb_build_object('after', jsonb_build_object('n', substr(resource, 8)::int))`],
    ["created_at = created_at + interval '1 ms'", "created_at = created_at - interval '1 ms'"],
    ["admin_id = 'aaaaaaaa-aaaa-7aaa-8aaa-aaaaaaaaaaaa'", 'admin_id = NULL'],
    ["outcome = 'denied'", "outcome = 'success'"],
  ])('reveal an edit: %s', async (change, back) => {
    const id = await idAt(5_345);
    const verdict = await tamper(
      `UPDATE audit_entry SET ${change} WHERE id = '${id}'`,
      `UPDATE audit_entry SET ${back} WHERE id = '${id}'`,
    );
    expect(verdict).toMatchObject({ valid: false, first_bad_id: id });
    expect(await verify()).toMatchObject({ valid: true });
  });

  it.each([
    ['the first', 1, 2],
    ['one in the middle', 5_001, 5_002],
  ])('reveal a removal: %s', async (_, seq, next) => {
    const verdict = await tamper(
      `${COPY} SELECT * FROM audit_entry WHERE seq = ${seq}; DELETE FROM audit_entry WHERE seq = ${seq}`,
      'INSERT INTO audit_entry SELECT * FROM kept',
    );
    expect(verdict).toMatchObject({ valid: false, first_bad_id: await idAt(next) });
  });

  it('reveal entries removed from the end', async () => {
    const verdict = await tamper(
      `${COPY} SELECT * FROM audit_entry WHERE seq > ${ROWS - 10}; DELETE FROM audit_entry WHERE seq > ${ROWS - 10}`,
      'INSERT INTO audit_entry SELECT * FROM kept',
    );
    expect(verdict).toMatchObject({ valid: false, first_bad_id: null, sealed: ROWS - 10 });
  });

  it('reveal entries removed from the end together with a changed head', async () => {
    const verdict = await tamper(
      `${COPY} SELECT * FROM audit_entry WHERE seq > ${ROWS - 10}; DELETE FROM audit_entry WHERE seq > ${ROWS - 10};
       CREATE TABLE head AS SELECT * FROM audit_head;
       UPDATE audit_head SET seq = ${ROWS - 10}, hash = (SELECT hash FROM audit_entry WHERE seq = ${ROWS - 10})`,
      'INSERT INTO audit_entry SELECT * FROM kept; DELETE FROM audit_head; INSERT INTO audit_head SELECT * FROM head',
    );
    expect(verdict).toMatchObject({ valid: false, first_bad_id: null });
  });

  it('reveal an inserted entry, even one with a valid hash', async () => {
    const id = 'bbbbbbbb-bbbb-7bbb-8bbb-bbbbbbbbbbbb';
    const verdict = await tamper(
      `INSERT INTO audit_entry SELECT * FROM jsonb_populate_record(
         (SELECT e FROM audit_entry e WHERE seq = ${ROWS}), jsonb_build_object('id', '${id}', 'seq', ${ROWS + 1}));
       UPDATE audit_entry e SET prev_hash = p.hash, hash = audit_entry_hash(e, e.seq, p.hash)
         FROM audit_entry p WHERE e.id = '${id}' AND p.seq = ${ROWS}`,
      `DELETE FROM audit_entry WHERE id = '${id}'`,
    );
    expect(verdict).toMatchObject({ valid: false, entries: ROWS + 1 });
    const copied = await tamper(
      `INSERT INTO audit_entry SELECT * FROM jsonb_populate_record(
         (SELECT e FROM audit_entry e WHERE seq = 500), jsonb_build_object('id', '${id}', 'seq', ${ROWS + 5}))`,
      `DELETE FROM audit_entry WHERE id = '${id}'`,
    );
    expect(copied).toMatchObject({ valid: false, first_bad_id: id });
  });

  it('reveal two swapped entries', async () => {
    const swap = `UPDATE audit_entry SET seq = -1 WHERE seq = 700; UPDATE audit_entry SET seq = 700 WHERE seq = 701;
                  UPDATE audit_entry SET seq = 701 WHERE seq = -1`;
    const id = await idAt(701);
    expect(await tamper(swap, swap)).toMatchObject({ valid: false, first_bad_id: id });
    expect(await verify()).toMatchObject({ valid: true });
  });

  it('reveal a chain recomputed without SECRET_KEY', async () => {
    const verdict = await tamper(
      `${COPY} SELECT * FROM audit_entry WHERE seq = ${ROWS};
       UPDATE audit_entry SET action = 'x' WHERE seq = ${ROWS};
       UPDATE audit_entry e SET hash = audit_entry_hash(e, e.seq, e.prev_hash) WHERE seq = ${ROWS};
       UPDATE audit_head SET hash = (SELECT hash FROM audit_entry WHERE seq = ${ROWS})`,
      `DELETE FROM audit_entry WHERE seq = ${ROWS}; INSERT INTO audit_entry SELECT * FROM kept;
       UPDATE audit_head SET hash = (SELECT hash FROM kept)`,
    );
    expect(verdict).toMatchObject({ valid: false, first_bad_id: null });
    expect(await verify()).toMatchObject({ valid: true });
  });

  it('are read once: later verifications read only what was sealed since', async () => {
    await verify();
    expect(await verify('')).toMatchObject({ valid: true, sealed: ROWS, checked: 0 });
    const id = await idAt(10);
    const hidden = `UPDATE audit_entry SET action = 'x' WHERE id = '${id}'`;
    const back = `UPDATE audit_entry SET action = 'domain.update' WHERE id = '${id}'`;
    expect(await tamper(hidden, back, '')).toMatchObject({ valid: true, checked: 0 });
    expect(await tamper(hidden, back)).toMatchObject({ valid: false, checked: ROWS, first_bad_id: id });
  });

  it.each([
    [
      'its own entry was altered',
      `UPDATE audit_entry SET hash = '\\x00' WHERE seq = ${ROWS}`,
      `UPDATE audit_entry e SET hash = audit_entry_hash(e, seq, prev_hash) WHERE seq = ${ROWS}`,
      false,
    ],
    [
      'it was written without SECRET_KEY',
      `UPDATE audit_verified SET seq = ${ROWS - 1}`,
      `UPDATE audit_verified SET seq = ${ROWS}`,
      true,
    ],
  ])('are all read again if the last verification can’t be trusted: %s', async (_, alter, undo, valid) => {
    await verify();
    expect(await tamper(alter, undo, '')).toMatchObject({ valid, checked: ROWS });
  });

  it('reveal entries removed from the end, also to a verification that continues', async () => {
    await verify();
    const verdict = await tamper(
      `${COPY} SELECT * FROM audit_entry WHERE seq > ${ROWS - 10}; DELETE FROM audit_entry WHERE seq > ${ROWS - 10}`,
      'INSERT INTO audit_entry SELECT * FROM kept',
      '',
    );
    expect(verdict).toMatchObject({ valid: false, first_bad_id: null });
  });

  it('are verified by one caller at a time', async () => {
    const client = await pool.connect();
    await client.query(`BEGIN; SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.verifying})`);
    expectError(await (await keyClient()).get('/audit/verify'), 409, 'CONFLICT');
    await client.query('COMMIT');
    client.release();
    const api = await keyClient();
    const answers = await Promise.all([1, 2, 3, 4].map(() => api.get('/audit/verify?full=true')));
    const statuses = answers.map(({ status }) => status);
    expect(statuses).toContain(200);
    expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([]);
    expect((await api.get('/audit/verify')).status).toBe(200);
  });

  it('are all exported', async () => {
    const response = await (await keyClient()).download('/audit/export');
    let lines = 0;
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      lines += Buffer.from(chunk).toString().split('\n').length - 1;
    }
    expect(lines).toBe(ROWS);
  });
});
