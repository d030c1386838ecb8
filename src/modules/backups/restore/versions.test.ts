import { buffer } from 'node:stream/consumers';
import { createGunzip, gzipSync } from 'node:zlib';
import { Decrypter, Encrypter, identityToRecipient } from 'age-encryption';
import { extract, pack } from 'tar-stream';
import { beforeAll, describe, expect, it } from 'vitest';
import { backUp, connect, hashOf, identity, makeDatabase, makeMigrations, sourceOf } from '@/test/backups';
import { makeAlias, makeDomain } from '@/test/factories';
import { type ArchiveError, ENTRIES, type Header, type Manifest } from '../archive/format';
import { proveArchive } from '../proof/prove';
import { previewRestore, restore } from './restore';

const databaseUrl = String(process.env.DATABASE_URL);
const source = await connect(databaseUrl);
const other = await makeDatabase();
const NOTHING = { rows: 0, bytes: 0, sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' };

type Change = { header?: (header: Header) => void; manifest?: (manifest: Manifest) => void; without?: string };

let archive: Buffer;
let domainId: string;
beforeAll(async () => {
  ({ id: domainId } = await makeDomain({ name: 'a.example' }));
  await makeAlias(domainId, 'hello', 'ann@a.example');
  archive = await backUp(source);
});

/** As someone with the key could make it. */
async function alter({ header, manifest, without }: Change): Promise<Buffer> {
  const decrypter = new Decrypter();
  decrypter.addIdentity(identity);
  const unzip = createGunzip();
  const reader = unzip.pipe(extract());
  unzip.end(await decrypter.decrypt(archive));
  const tar = pack();
  for await (const entry of reader) {
    const { name } = entry.header;
    let bytes: Buffer = await buffer(entry);
    const change = { [ENTRIES.header]: header, [ENTRIES.manifest]: manifest }[name];
    if (change) {
      const value = JSON.parse(bytes.toString());
      change(value);
      bytes = Buffer.from(JSON.stringify(value));
    }
    if (!without || !name.startsWith(`tables/${without}/`)) tar.entry({ name }, bytes);
  }
  tar.finalize();
  const encrypter = new Encrypter();
  encrypter.addRecipient(await identityToRecipient(identity));
  return Buffer.from(await encrypter.encrypt(gzipSync(await buffer(tar))));
}

describe('an archive whose tables are not those of its version is refused with their names, and changes nothing', () => {
  const withTable = (name: string, columns: string[]): Change => ({
    header: ({ tables }) => void tables.push({ name, columns, keyLength: 1 }),
    manifest: (manifest) => Object.assign(manifest, { [name]: NOTHING }),
  });
  const withoutColumns: Change = {
    header: ({ tables }) => {
      for (const table of tables) if (table.name === 'webhook') table.columns.pop();
    },
  };
  const withoutTable: Change = {
    header: (header) => Object.assign(header, { tables: header.tables.filter(({ name }) => name !== 'alias') }),
    manifest: (manifest) => void delete manifest.alias,
    without: 'alias',
  };
  const otherKey: Change = {
    header: ({ tables }) => {
      for (const table of tables) if (table.name === 'webhook') table.columns.reverse();
    },
  };

  it.each<[string, Change, RegExp]>([
    ['with the list of backups', withTable('backup', ['id']), /It has backup, .*backup\.id, which does not belong/],
    ['with the list of migrations', withTable('_prisma_migrations', ['id']), /It has _prisma_migrations/],
    ['with sessions', withTable('session', ['id']), /It has session/],
    ['with a table twice', withTable('alias', ['id']), /It has alias/],
    ['without a table', withoutTable, /It lacks alias, .*alias\.id/],
    ['without a column', withoutColumns, /It lacks webhook\.\w+\.$/],
    ['with another key', otherKey, /It lacks the key of webhook: id\./],
  ])('%s', async (_, change, message) => {
    const bytes = await alter(change);
    const before = await hashOf(other.client);
    const migrations = (await other.client.query('SELECT FROM _prisma_migrations')).rowCount;
    for (const attempt of [
      () => restore(other.client, sourceOf(bytes)),
      () => previewRestore(other.client, sourceOf(bytes)),
      () => restore(other.client, sourceOf(bytes), { scope: { domainId } }),
    ]) {
      const error = (await attempt().catch((thrown: unknown) => thrown)) as ArchiveError;
      expect(error.problem).toBe('incompatible');
      expect(error.message).toMatch(message);
    }
    expect(await hashOf(other.client)).toEqual(before);
    expect((await other.client.query('SELECT FROM _prisma_migrations')).rowCount).toBe(migrations);
  });

  it('in a proof, and of an older version', async () => {
    const bytes = await alter(withoutTable);
    await expect(proveArchive(databaseUrl, sourceOf(bytes))).rejects.toMatchObject({ problem: 'incompatible' });
    const migrationsFolder = makeMigrations('CREATE TABLE later (id integer PRIMARY KEY)');
    await expect(proveArchive(databaseUrl, sourceOf(bytes), { migrationsFolder })).rejects.toMatchObject({
      problem: 'incompatible',
    });
  });

  it('and one with the same tables is not', async () => {
    await restore(other.client, sourceOf(await alter({})));
    expect((await hashOf(other.client)).alias).toMatch(/^1 /);
  });
});
