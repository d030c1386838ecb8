import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import { afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { seal, unseal } from '@/server/secrets/sealing';
import { backUp, catalogOf, connect, hashOf, identity, makeDatabase, sourceOf } from '@/test/backups';
import { db } from '@/test/database';
import {
  makeAdmin,
  makeAlias,
  makeApiKey,
  makeDkimKey,
  makeDomain,
  makeMailbox,
  makeSession,
  makeWebhook,
} from '@/test/factories';
import { setSettings } from '@/test/settings';
import { ArchiveError } from './archive/format';
import { openArchive } from './archive/read';
import { writeArchive } from './archive/write';
import { previewRestore, restore } from './restore/restore';

const MESSAGES = 50;
const secretKey = String(process.env.SECRET_KEY);
const source = await connect(String(process.env.DATABASE_URL));
const other = await makeDatabase();

let archive: Buffer;
beforeAll(async () => {
  await fill();
  archive = await backUp(source);
});

/** Rows in many tables, with values that are hard to copy. */
async function fill(): Promise<void> {
  const admin = await makeAdmin({ role: 'super_admin', email: 'root@a.example' });
  await db.admin.update({
    where: { id: admin.id },
    data: { totpSecret: seal(`admin.totp_secret:${admin.id}`, 'JBSWY3DP') },
  });
  await makeSession(admin.id);
  await makeApiKey(admin.id);
  const domain = await makeDomain({ name: 'a.example' });
  await db.domain.update({
    where: { id: domain.id },
    data: { description: 'tab\t, line\nbreak, back\\slash, \\N, "ü𝄞"' },
  });
  await makeMailbox(domain.id, 'ann');
  await makeAlias(domain.id, 'hello', 'ann@a.example');
  await makeDkimKey(domain.id);
  await makeWebhook();
  // Larger than what is encrypted, compressed or copied at once.
  await db.$executeRaw`
    INSERT INTO event (id, type, body, body_bytes)
    SELECT gen_random_uuid(), 'mail.sent', string_agg(md5(random()::text), ''), 32000
      FROM generate_series(1, 30) AS n, generate_series(1, 1000) AS part GROUP BY n`;
  for (let i = 0; i < MESSAGES; i++) {
    await db.message.create({
      data: {
        messageId: `<${i}@a.example>`,
        domainId: domain.id,
        direction: 'outbound',
        fromAddress: 'ann@a.example',
        subject: `Message ${i}`,
        sizeBytes: 1000,
        status: 'delivered',
        recipients: { create: { address: `b${i}@b.example`, kind: 'to', status: 'delivered' } },
      },
    });
  }
}

/** As a server with this SECRET_KEY would. */
function sealWith(key: string, place: string, text: string) {
  setSettings({ SECRET_KEY: key });
  const sealed = seal(place, text);
  setSettings({ SECRET_KEY: secretKey });
  return sealed;
}

describe('a restore', () => {
  it('brings back every row, and statistics as they were counted', async () => {
    const before = await hashOf(source);
    expect(before.message).toMatch(/^50 /);
    await restore(other.client, sourceOf(archive));
    expect(await hashOf(other.client)).toEqual(before);
    // A second time over what is there.
    await restore(other.client, sourceOf(archive));
    expect(await hashOf(other.client)).toEqual(before);
  });

  it('leaves tables, indexes, constraints and triggers as they were', async () => {
    const before = await catalogOf(other.client);
    expect(before.some((line) => line.includes('UNIQUE INDEX dkim_key_one_active'))).toBe(true);
    await restore(other.client, sourceOf(archive));
    expect(await catalogOf(other.client)).toEqual(before);
    await expect(restore(other.client, sourceOf(archive.subarray(0, -1)))).rejects.toThrow();
    expect(await catalogOf(other.client)).toEqual(before);
  });

  it('ends all sessions', async () => {
    expect(await db.session.count()).toBe(1);
    await other.client.query(`INSERT INTO session SELECT * FROM jsonb_populate_recordset(NULL::session, $1)`, [
      JSON.stringify((await source.query('SELECT * FROM session')).rows),
    ]);
    await restore(other.client, sourceOf(archive));
    expect((await other.client.query('SELECT FROM session')).rowCount).toBe(0);
  });

  it('leaves numbers of events growing', async () => {
    await source.query("SELECT setval('event_sequence', 5000)");
    const bytes = await backUp(source);
    await restore(other.client, sourceOf(bytes));
    const next = async () => Number((await other.client.query("SELECT nextval('event_sequence') AS n")).rows[0].n);
    expect(await next()).toBe(5001);
    await other.client.query("SELECT setval('event_sequence', 9000)");
    await restore(other.client, sourceOf(bytes));
    expect(await next()).toBe(9001);
  });

  it('seals secrets with the current key', async () => {
    const otherKey = randomBytes(32).toString('hex');
    const { rows } = await source.query('SELECT id, totp_secret AS sealed FROM admin WHERE totp_secret IS NOT NULL');
    const [{ id, sealed }] = rows;
    const place = `admin.totp_secret:${id}`;
    const setSecret = (bytes: Uint8Array) =>
      source.query('UPDATE admin SET totp_secret = $1 WHERE id = $2', [bytes, id]);
    onTestFinished(async () => void (await setSecret(sealed)));
    await setSecret(sealWith(otherKey, place, 'JBSWY3DP'));
    await restore(other.client, sourceOf(await backUp(source, { secret_keys: [otherKey] })));
    const restored = await other.client.query('SELECT totp_secret AS sealed FROM admin WHERE id = $1', [id]);
    expect(unseal(place, restored.rows[0].sealed)).toBe('JBSWY3DP');
  });
});

describe('an archive that can’t be used changes nothing', () => {
  let before: Record<string, string>;
  beforeAll(async () => {
    await restore(other.client, sourceOf(archive));
    await other.client.query("UPDATE domain SET description = 'Changed since'");
    before = await hashOf(other.client);
  });
  afterEach(async () => expect(await hashOf(other.client)).toEqual(before));

  const refusal = async (bytes: Buffer, identities?: string[]) => {
    const error = await restore(other.client, sourceOf(bytes, identities)).catch((thrown: unknown) => thrown);
    return (error as ArchiveError).problem;
  };

  it('cut at every tenth', async () => {
    for (let part = 0; part < 10; part++) {
      const cut = archive.subarray(0, Math.floor((archive.byteLength * part) / 10));
      expect(await refusal(cut), `${part * 10} %`).toBe('damaged');
    }
    expect(await refusal(archive.subarray(0, -1))).toBe('damaged');
  });

  it('with one byte changed', async () => {
    for (let part = 0; part < 10; part++) {
      const changed = Buffer.from(archive);
      const at = Math.floor((archive.byteLength * part) / 10);
      changed[at] = (changed[at] as number) ^ 1;
      expect(['damaged', 'wrong_key'], `byte ${at}`).toContain(await refusal(changed));
    }
  });

  it('with another key', async () => {
    expect(await refusal(archive, [await generateX25519Identity()])).toBe('wrong_key');
    expect(await refusal(archive, [])).toBe('wrong_key');
  });

  it('that is something else', async () => {
    expect(await refusal(Buffer.from('PGDMP, as pg_dump writes it'))).toBe('damaged');
    const encrypter = new Encrypter();
    encrypter.addRecipient(await identityToRecipient(identity));
    expect(await refusal(Buffer.from(await encrypter.encrypt('no archive')))).toBe('damaged');
  });

  it('of a version with other migrations', async () => {
    const setName = (from: string, to: string) =>
      source.query('UPDATE _prisma_migrations SET migration_name = $2 WHERE migration_name = $1', [from, to]);
    const { rows } = await source.query('SELECT max(migration_name) AS name FROM _prisma_migrations');
    await setName(rows[0].name, '20990101000000_later');
    const later = await backUp(source);
    await setName('20990101000000_later', rows[0].name);
    expect(await refusal(later)).toBe('newer');
  });

  it('of which the database does not accept a row', async () => {
    await source.query("UPDATE domain SET name = 'x.example'");
    await other.client.query("ALTER TABLE domain ADD CONSTRAINT never CHECK (name <> 'x.example')");
    const bytes = await backUp(source);
    await source.query("UPDATE domain SET name = 'a.example'");
    const error = await restore(other.client, sourceOf(bytes)).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: '23514' });
    await other.client.query('ALTER TABLE domain DROP CONSTRAINT never');
  });

  it('because the connection broke', async () => {
    const client = await connect(other.url);
    const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
    const slowly = Readable.from(
      (async function* () {
        const half = Math.floor(archive.byteLength / 2);
        yield archive.subarray(0, half);
        await other.client.query('SELECT pg_terminate_backend($1)', [rows[0].pid]);
        yield archive.subarray(half);
      })(),
    );
    await expect(restore(client, { open: async () => slowly, keys: { identities: [identity] } })).rejects.toThrow();
  });
});

it('a preview says what a restore would add, change and remove, and writes nothing', async () => {
  await restore(other.client, sourceOf(archive));
  const unchanged = await previewRestore(other.client, sourceOf(archive));
  expect(unchanged.filter(({ added, changed, removed }) => added + changed + removed > 0)).toEqual([]);

  await other.client.query("UPDATE domain SET description = 'Changed since'");
  await other.client.query('DELETE FROM alias');
  await other.client.query(
    "INSERT INTO domain (id, name, updated_at) VALUES (gen_random_uuid(), 'new.example', now())",
  );
  const before = await hashOf(other.client);
  const differences = await previewRestore(other.client, sourceOf(archive));
  const of = (name: string) => differences.find(({ table }) => table === name);
  expect(of('domain')).toMatchObject({
    added: 0,
    changed: 1,
    removed: 1,
    examples: { changed: ['a.example'], removed: ['new.example'] },
  });
  expect(of('alias')).toMatchObject({ added: 1, changed: 0, removed: 0, examples: { added: ['hello'] } });
  expect(of('message')).toMatchObject({ added: 0, changed: 0, removed: 0 });
  expect(await hashOf(other.client)).toEqual(before);
  for (const length of [archive.byteLength - 100, archive.byteLength / 2]) {
    await expect(previewRestore(other.client, sourceOf(archive.subarray(0, length)))).rejects.toThrow(ArchiveError);
    expect(await hashOf(other.client)).toEqual(before);
  }
});

it('a backup is one snapshot, whatever is written meanwhile', async () => {
  const before = await hashOf(source);
  const writer = await connect(String(process.env.DATABASE_URL));
  await writer.query('BEGIN; LOCK TABLE event');
  const backingUp = backUp(source);
  const waiting = "SELECT FROM pg_locks WHERE relation = 'event'::regclass AND NOT granted";
  await expect.poll(async () => (await writer.query(waiting)).rowCount).toBe(1);
  // The domains are in the archive by now, and the mailboxes are not yet.
  const { id } = await makeDomain({ name: 'during.example' });
  await makeMailbox(id, 'ann');
  await writer.query('COMMIT');
  await restore(other.client, sourceOf(await backingUp));
  expect(await hashOf(other.client)).toEqual(before);
});

it('an archive can be read by any of its keys, and says when and by what it was made', async () => {
  const identities = [await generateX25519Identity(), await generateX25519Identity()];
  const recipients = await Promise.all(identities.map(identityToRecipient));
  const now = new Date('2026-05-01T00:00:00Z');
  const secrets = { secret_keys: [secretKey] };
  const bytes = await buffer(await writeArchive(source, { version: '0.1.0', now, secrets, recipients }));
  for (const one of identities) {
    const { header, close } = await openArchive(sourceOf(bytes, [one]));
    close();
    expect(header).toMatchObject({ version: '0.1.0', created_at: now.toISOString() });
  }
});
