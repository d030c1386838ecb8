import { randomBytes } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import { seal, unseal } from '@/server/secrets/sealing';
import { backUp, connect, makeDatabase, sourceOf } from '@/test/backups';
import { db } from '@/test/database';
import {
  makeAdmin,
  makeAlias,
  makeApiKey,
  makeDkimKey,
  makeDomain,
  makeMailbox,
  makeSuppression,
  makeTemplate,
  makeWebhook,
} from '@/test/factories';
import { setSettings } from '@/test/settings';
import { BackupError } from '../../archive/format';
import { findTables, quoted } from '../../archive/tables';
import { readDomains } from '../../command/restore';
import type { TableDifference } from '../compare';
import { previewRestore, restore } from '../restore';
import { DOMAIN_TABLES } from './tables';

const client = await connect(String(process.env.DATABASE_URL));
const empty = await makeDatabase();
const SECRET = 'whsec_dGVzdCBzZWNyZXQgb2YgdGVzdHM=';

let domainId: string;
let otherId: string;
let archive: Buffer;
let own: string[];

beforeEach(async () => {
  await client.query('TRUNCATE domain, admin CASCADE');
  domainId = await fill('a.example');
  otherId = await fill('b.example');
  own = await rows('own');
  archive = await backUp(client);
});

/** A domain with something of everything. */
async function fill(name: string): Promise<string> {
  const { id } = await makeDomain({ name });
  const admin = await makeAdmin({ role: 'domain_admin', domainIds: [id], email: `ann@${name}` });
  const { id: mailboxId } = await makeMailbox(id, 'ann');
  await makeMailbox(id, 'reports');
  await db.domain.update({ where: { id }, data: { description: 'old', reportMailboxId: mailboxId } });
  await makeAlias(id, 'hello', `ann@${name}`);
  await makeDkimKey(id, { selector: 'old' });
  await makeApiKey(admin.id, { scopedDomainIds: [id] });
  await makeWebhook({ domainId: id });
  for (const template of ['order', 'welcome', 'bill']) await makeTemplate(id, template);
  await makeSuppression(id, 'gone@far.example');
  await makeSuppression(id, 'again@far.example');
  for (const data of [
    { scope: 'domain' as const, domainId: id },
    { scope: 'mailbox' as const, mailboxId },
  ])
    await db.sieveFilter.create({ data: { ...data, name: 'filter', script: 'keep;' } });
  return id;
}

/** Rows of everything, or of the domain, or of everything else. What a restore sets itself is left out. */
async function rows(which: 'own' | 'other', from = client): Promise<string[]> {
  const found: string[] = [];
  for (const { name } of await findTables(from)) {
    const ofDomain = DOMAIN_TABLES.find((table) => table.name === name)?.ofDomain ?? '$1::uuid IS NULL';
    const result = await from.query<{ row: string }>(
      `SELECT (to_jsonb(t) - 'next_dns_check_at')::text AS row FROM ${quoted(name)} AS t
        WHERE coalesce(${ofDomain}, false) = $2`,
      [domainId, which === 'own'],
    );
    found.push(...result.rows.map(({ row }) => `${name} ${row}`));
  }
  return found.toSorted();
}

const scoped = () => ({ scope: { domainId } });
const of = (differences: TableDifference[], name: string) => differences.find(({ table }) => table === name);

/** Changes everything of the domain, and something of the other one. */
async function change(): Promise<void> {
  await db.domain.update({ where: { id: domainId }, data: { description: 'new', reportMailboxId: null } });
  await db.mailbox.deleteMany({ where: { domainId, localPart: 'ann' } });
  await makeMailbox(domainId, 'ann');
  await db.alias.updateMany({ where: { domainId }, data: { destination: 'x@b.example' } });
  await makeAlias(domainId, 'newer', 'ann@a.example');
  await db.dkimKey.updateMany({ where: { domainId }, data: { status: 'retired' } });
  await makeDkimKey(domainId, { selector: 'new' });
  await db.sieveFilter.deleteMany({ where: { domainId } });
  await db.webhook.deleteMany({ where: { domainId } });
  await makeWebhook({ domainId });
  // Each of two has the name of the other meanwhile.
  for (const [from, to] of [
    ['order', 'x'],
    ['welcome', 'order'],
    ['x', 'welcome'],
  ] as const)
    await db.template.updateMany({ where: { domainId, name: from }, data: { name: to } });
  await db.template.deleteMany({ where: { domainId, name: 'bill' } });
  await makeTemplate(domainId, 'newer');
  await db.templateVersion.deleteMany({ where: { template: { domainId, name: 'order' } } });
  await db.apiKey.deleteMany({ where: { scopedDomainIds: { equals: [domainId] } } });
  await db.adminDomain.deleteMany({ where: { domainId } });
  await db.mailbox.updateMany({ where: { domainId: otherId }, data: { displayName: 'new' } });
}

it('brings back everything of the domain, and touches nothing else', async () => {
  await change();
  const other = await rows('other');
  const differences = await previewRestore(client, sourceOf(archive), scoped());
  expect(await rows('other')).toEqual(other);
  expect(of(differences, 'domain')).toMatchObject({ changed: 1, examples: { changed: ['a.example'] } });
  expect(of(differences, 'mailbox')).toMatchObject({ added: 1, removed: 1, changed: 0 });
  expect(of(differences, 'alias')).toMatchObject({ changed: 1, removed: 1, examples: { removed: ['newer'] } });
  expect(of(differences, 'dkim_key')).toMatchObject({ changed: 1, removed: 1 });
  expect(of(differences, 'sieve_filter')).toMatchObject({ added: 2 });
  expect(of(differences, 'webhook')).toMatchObject({ added: 1, removed: 1 });
  expect(of(differences, 'template')).toMatchObject({ added: 1, changed: 2, removed: 1 });
  expect(of(differences, 'template_version')).toMatchObject({ added: 2, removed: 1 });
  expect(of(differences, 'api_key')).toMatchObject({ added: 1 });
  expect(of(differences, 'admin_domain')).toMatchObject({ added: 1 });

  const result = await restore(client, sourceOf(archive), scoped());
  expect(result).toMatchObject({ unopened: 0, leftOut: [] });
  expect(await rows('own')).toEqual(own);
  expect(await rows('other')).toEqual(other);
  const after = await previewRestore(client, sourceOf(archive), scoped());
  expect(after.filter(({ added, changed, removed }) => added + changed + removed > 0)).toEqual([]);
});

it('brings back suppressions, and leaves those that are newer', async () => {
  await db.suppression.deleteMany({ where: { domainId } });
  await makeSuppression(domainId, 'again@far.example', { detail: 'new' });
  await makeSuppression(domainId, 'newer@far.example');
  const difference = of(await previewRestore(client, sourceOf(archive), scoped()), 'suppression');
  expect(difference).toMatchObject({ added: 2, removed: 1, examples: { removed: ['again@far.example'] } });
  await restore(client, sourceOf(archive), scoped());
  const found = await db.suppression.findMany({ where: { domainId }, orderBy: { email: 'asc' } });
  expect(found.map(({ email, detail }) => [email, detail])).toEqual([
    ['again@far.example', ''],
    ['gone@far.example', ''],
    ['newer@far.example', ''],
  ]);
});

it('brings back a domain that was deleted', async () => {
  await db.mailbox.deleteMany({ where: { domainId } });
  await db.alias.deleteMany({ where: { domainId } });
  await db.template.deleteMany({ where: { domainId } });
  await db.domain.delete({ where: { id: domainId } });
  await db.apiKey.deleteMany({ where: { scopedDomainIds: { equals: [domainId] } } });
  expect(await readDomains(sourceOf(archive))).toContainEqual({ id: domainId, name: 'a.example' });
  await restore(client, sourceOf(archive), scoped());
  expect(await rows('own')).toEqual(own);
});

it('brings a domain to another server, without admins that are not there', async () => {
  const { leftOut } = await restore(empty.client, sourceOf(archive), scoped());
  expect(leftOut).toEqual([
    'ann@a.example is no admin any more, so the domain is not assigned to that account.',
    'The API key “test” of ann@a.example is left out: its owner is no admin any more.',
  ]);
  const isOfAdmin = (row: string) => row.startsWith('admin_domain') || row.startsWith('api_key');
  expect(await rows('own', empty.client)).toEqual(own.filter((row) => !isOfAdmin(row)));
  expect((await empty.client.query('SELECT name FROM domain')).rows).toEqual([{ name: 'a.example' }]);
});

it('leaves keys alone that cover other domains, and keys whose parent is revoked', async () => {
  const admin = await makeAdmin();
  const both = await makeApiKey(admin.id, { scopedDomainIds: [domainId, otherId] });
  const widened = await makeApiKey(admin.id, { scopedDomainIds: [domainId] });
  const parent = await makeApiKey(admin.id);
  const child = await makeApiKey(admin.id, { scopedDomainIds: [domainId], parentId: parent.row.id });
  for (const [{ row }, name] of [
    [both, 'both'],
    [widened, 'widened'],
    [child, 'child'],
  ] as const)
    await db.apiKey.update({ where: { id: row.id }, data: { name } });
  const bytes = await backUp(client);
  await db.apiKey.delete({ where: { id: both.row.id } });
  await db.apiKey.delete({ where: { id: parent.row.id } });
  await db.apiKey.update({ where: { id: widened.row.id }, data: { scopedDomainIds: [domainId, otherId] } });
  const other = await rows('other');
  const differences = await previewRestore(client, sourceOf(bytes), scoped());
  const { leftOut } = await restore(client, sourceOf(bytes), scoped());
  expect(of(differences, 'api_key')?.leftOut).toEqual(leftOut);
  expect(leftOut.toSorted()).toEqual([
    'The API key “both” is not restored: it covers other domains too, in the archive or now.',
    'The API key “child” is left out: the key that created it is revoked.',
    'The API key “widened” is not restored: it covers other domains too, in the archive or now.',
  ]);
  expect(await rows('other')).toEqual(other);
  expect(await rows('own')).toEqual(own);
});

it('keeps a key that was narrowed to the domain since', async () => {
  const admin = await makeAdmin();
  const { row } = await makeApiKey(admin.id, { scopedDomainIds: [domainId, otherId] });
  const bytes = await backUp(client);
  await db.apiKey.update({ where: { id: row.id }, data: { scopedDomainIds: [domainId] } });
  const before = await db.apiKey.findUniqueOrThrow({ where: { id: row.id } });
  await restore(client, sourceOf(bytes), scoped());
  expect(await db.apiKey.findUniqueOrThrow({ where: { id: row.id } })).toEqual(before);
});

it('seals secrets with the current key', async () => {
  const { id } = await db.webhook.findFirstOrThrow({ where: { domainId } });
  const secretKey = String(process.env.SECRET_KEY);
  const otherKey = randomBytes(32).toString('hex');
  setSettings({ SECRET_KEY: otherKey });
  const secret = seal(`webhook.secret:${id}`, SECRET);
  setSettings({ SECRET_KEY: secretKey });
  await db.webhook.update({ where: { id }, data: { secret } });
  const bytes = await backUp(client, { secret_keys: [otherKey, secretKey] });
  expect(await restore(client, sourceOf(bytes), scoped())).toMatchObject({ unopened: 0 });
  expect(unseal(`webhook.secret:${id}`, (await db.webhook.findUniqueOrThrow({ where: { id } })).secret)).toBe(SECRET);
});

it('an archive without the domain, or with another one in its place, is refused by name', async () => {
  const absent = restore(client, sourceOf(archive), { scope: { domainId: crypto.randomUUID() } });
  await expect(absent).rejects.toThrow('The archive has no such domain.');
  await db.domain.update({ where: { id: domainId }, data: { name: 'renamed.example' } });
  await makeDomain({ name: 'a.example' });
  const before = [await rows('own'), await rows('other')];
  for (const run of [previewRestore, restore]) {
    const error = await run(client, sourceOf(archive), scoped()).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BackupError);
    expect((error as Error).message).toMatch(/^a\.example was added again since the backup/);
  }
  expect([await rows('own'), await rows('other')]).toEqual(before);
});

it('refuses to take back rows that another domain has now', async () => {
  const alias = await db.alias.findFirstOrThrow({ where: { domainId } });
  await db.alias.deleteMany({ where: { domainId: otherId } });
  await db.alias.update({ where: { id: alias.id }, data: { domainId: otherId } });
  await expect(restore(client, sourceOf(archive), scoped())).rejects.toThrow(
    `Rows of alias that a.example had belong to another domain now: ${alias.id}.`,
  );
});

it('changes nothing from an archive that is damaged', async () => {
  await change();
  const before = [await rows('own'), await rows('other')];
  for (const length of [archive.byteLength - 1, archive.byteLength / 2])
    await expect(restore(client, sourceOf(archive.subarray(0, length)), scoped())).rejects.toMatchObject({
      problem: 'damaged',
    });
  expect([await rows('own'), await rows('other')]).toEqual(before);
});
