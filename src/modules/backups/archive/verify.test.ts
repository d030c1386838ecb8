import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { identityToRecipient } from 'age-encryption';
import { beforeAll, describe, expect, it } from 'vitest';
import { backUp, connect, hashOf, identity, makeDatabase, sourceOf } from '@/test/backups';
import { db } from '@/test/database';
import { makeDomain } from '@/test/factories';
import { expectShortTurns } from '@/test/main-thread';
import { previewRestore, restore } from '../restore/restore';
import { ArchiveError, type ArchiveSource, type Progress } from './format';
import { verifyArchive } from './verify';
import { writeArchive } from './write';

const EVENTS = 100;
const source = await connect(String(process.env.DATABASE_URL));

let archive: Buffer;
beforeAll(async () => {
  await makeDomain({ name: 'a.example' });
  // Several parts, with values that don't compress.
  await db.$executeRaw`
    INSERT INTO event (id, type, body, body_bytes)
    SELECT gen_random_uuid(), 'mail.sent', string_agg(md5(random()::text), ''), 32000
      FROM generate_series(1, ${EVENTS}::int) AS n, generate_series(1, 1000) AS part GROUP BY n`;
  archive = await backUp(source);
});

/** Gives its first half, and then what `next` does. */
const halfOf = (bytes: Buffer, next: () => Promise<void> | void): ArchiveSource => ({
  open: async () =>
    Readable.from(
      (async function* () {
        yield bytes.subarray(0, bytes.byteLength / 2);
        await next();
        yield bytes.subarray(bytes.byteLength / 2);
      })(),
    ),
  keys: { identities: [identity] },
});

it('an archive is verified to its end, with its progress', async () => {
  const reports: Progress[] = [];
  const { header, rows } = await verifyArchive(sourceOf(archive), { onProgress: (progress) => reports.push(progress) });
  const total = header.tables.length;
  expect(rows).toBeGreaterThan(EVENTS);
  expect(reports.at(-1)).toEqual({ table: header.tables.at(-1)?.name, tables: { done: total, total }, rows });
  const ofEvents = reports.filter(({ table }) => table === 'event');
  expect(ofEvents.length).toBeGreaterThan(2);
  expect(ofEvents.map((each) => each.rows)).toEqual(ofEvents.map((each) => each.rows).toSorted((a, b) => a - b));
  for (const length of [archive.byteLength - 1, archive.byteLength / 2])
    await expect(verifyArchive(sourceOf(archive.subarray(0, length)))).rejects.toMatchObject({ problem: 'damaged' });
});

it('an archive with a passphrase is opened by that passphrase alone, while requests go on', async () => {
  const bytes = await buffer(
    await writeArchive(source, {
      version: '0.1.0',
      now: new Date(),
      secrets: { secret_keys: [String(process.env.SECRET_KEY)] },
      recipients: [await identityToRecipient(identity)],
      passphrase: 'correct horse battery',
    }),
  );
  const verify = (...passphrases: string[]) =>
    verifyArchive({ ...sourceOf(bytes), keys: { identities: [identity], passphrases } });
  const opened = () => verify('another one', 'correct horse battery');
  // Deriving its key takes longer, but not on the thread of the requests.
  await expectShortTurns(async () => expect(await opened()).toMatchObject({ header: { version: '0.1.0' } }));
  await expect(verify('another one')).rejects.toMatchObject({ problem: 'wrong_key' });
  await expect(verify()).rejects.toMatchObject({ problem: 'wrong_key' });
});

it('a source that fails is not taken for a damaged archive', async () => {
  const failure = new Error('the storage is away');
  const failing = halfOf(archive, () => Promise.reject(failure));
  await expect(verifyArchive(failing)).rejects.toBe(failure);
  const closed: ArchiveSource = { ...failing, open: () => Promise.reject(failure) };
  await expect(verifyArchive(closed)).rejects.toBe(failure);
});

it('verifying, comparing and restoring end when they are aborted, and nothing has changed', async () => {
  const { client } = await makeDatabase();
  const before = await hashOf(client);
  for (const run of [
    (from: ArchiveSource, signal: AbortSignal) => verifyArchive(from, { signal }),
    (from: ArchiveSource, signal: AbortSignal) => previewRestore(client, from, { signal }),
    (from: ArchiveSource, signal: AbortSignal) => restore(client, from, { signal }),
  ]) {
    const controller = new AbortController();
    const reason = new Error('shutting down');
    // The rest never comes.
    const hanging = halfOf(archive, () => {
      controller.abort(reason);
      return new Promise(() => {});
    });
    await expect(run(hanging, controller.signal)).rejects.toBe(reason);
    expect(await hashOf(client)).toEqual(before);
  }
});

describe('a backup that ends early leaves no whole archive, and its connection usable', () => {
  const start = async (options: Partial<Parameters<typeof writeArchive>[1]>) =>
    writeArchive(source, {
      version: '0.1.0',
      now: new Date(),
      secrets: { secret_keys: ['x'] },
      recipients: [await identityToRecipient(identity)],
      ...options,
    });
  const expectUsable = async () => {
    expect((await source.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    expect((await verifyArchive(sourceOf(await backUp(source)))).rows).toBeGreaterThan(EVENTS);
  };

  it('because it is aborted', async () => {
    const controller = new AbortController();
    const stream = await start({
      onProgress: ({ table }) => table === 'event' && controller.abort(new Error('shutting down')),
      signal: controller.signal,
    });
    await expect(buffer(stream)).rejects.toThrow('shutting down');
    await expectUsable();
  });

  it('because the archive can’t be stored', async () => {
    const stream = await start({
      onProgress: ({ table }) => table === 'event' && stream.destroy(new Error('no room')),
    });
    await expect(buffer(stream)).rejects.toThrow('no room');
    await expectUsable();
  });
});

it('no other error than of the archive comes from an archive that is cut', async () => {
  for (let part = 0; part < 20; part++) {
    const cut = archive.subarray(0, Math.floor((archive.byteLength * part) / 20));
    await expect(verifyArchive(sourceOf(cut)), `${part * 5} %`).rejects.toThrow(ArchiveError);
  }
});
