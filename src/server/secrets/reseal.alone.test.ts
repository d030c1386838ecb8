import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { db } from '@/test/database';
import { makeAdmin, makeDkimKey, makeDomain, makeMany, makeWebhook } from '@/test/factories';
import { untilBlocked } from '@/test/locks';
import { restoreRows } from '../deleted-records/restore';

const makeKey = () => randomBytes(32).toString('hex');

/** The server after a start with these keys. */
async function startWith(...keys: string[]) {
  vi.resetModules();
  process.env.SECRET_KEY = keys.join(',');
  const [{ resealStoredSecrets }, sealing, credentials, { log }] = await Promise.all([
    import('./reseal'),
    import('./sealing'),
    import('./credentials'),
    import('../log'),
  ]);
  return { reseal: () => resealStoredSecrets(db), ...sealing, ...credentials, log };
}

type Server = Awaited<ReturnType<typeof startWith>>;

const placeOf = (id: string) => `admin.totp_secret:${id}`;

async function makeSealed(server: Server, text: string): Promise<string> {
  const { id } = await makeAdmin();
  await db.admin.update({ where: { id }, data: { totpSecret: server.seal(placeOf(id), text) } });
  return id;
}

async function stored(id: string): Promise<Uint8Array> {
  return (await db.admin.findUniqueOrThrow({ where: { id } })).totpSecret as Uint8Array;
}

const open = async (server: Server, id: string) => server.unseal(placeOf(id), await stored(id));

describe('rotating SECRET_KEY', () => {
  const [oldKey, newKey] = [makeKey(), makeKey()];

  beforeEach(async () => {
    await db.admin.deleteMany();
    await db.webhook.deleteMany();
    await db.domain.deleteMany();
  });

  it('reseals every stored secret, so that the old key can be removed', async () => {
    const before = await startWith(oldKey);
    const ids = await makeMany(230, (i) => makeSealed(before, `secret ${i}`));
    const without = await makeAdmin();

    const during = await startWith(newKey, oldKey);
    expect(await open(during, ids[0] as string)).toBe('secret 0');
    expect(await during.reseal()).toEqual({ resealed: 230, unopened: 0 });
    expect(await during.reseal()).toEqual({ resealed: 0, unopened: 0 });

    const after = await startWith(newKey);
    expect(await after.reseal()).toEqual({ resealed: 0, unopened: 0 });
    for (const [i, id] of ids.entries()) expect(await open(after, id)).toBe(`secret ${i}`);
    expect(await db.admin.findUniqueOrThrow({ where: { id: without.id } })).toMatchObject({ totpSecret: null });
    const gone = await startWith(oldKey);
    await expect(open(gone, ids[0] as string)).rejects.toThrow('is not in SECRET_KEY');
  });

  it('reseals the secrets of deleted records, so that they can be restored', async () => {
    const before = await startWith(oldKey);
    const { id } = await makeWebhook();
    const place = `webhook.secret:${id}`;
    await db.webhook.update({ where: { id }, data: { secret: before.seal(place, 'one') } });
    const by = { deletedAt: new Date(), deletedById: id, deletedByEmail: 'ada@here.example' };
    await db.deletedRecord.create({ data: { id, kind: 'webhook', name: 'Deleted', ...by } });
    await db.$executeRaw`
      INSERT INTO deleted_row SELECT id, 1, 'webhook', to_jsonb(w) FROM webhook w WHERE id = ${id}::uuid`;
    await db.webhook.delete({ where: { id } });

    const during = await startWith(newKey, oldKey);
    expect(await during.reseal()).toEqual({ resealed: 1, unopened: 0 });
    expect(await during.reseal()).toEqual({ resealed: 0, unopened: 0 });
    const after = await startWith(newKey);
    await db.$transaction((tx) => restoreRows(tx, { id, kind: 'webhook' }));
    expect(after.unseal(place, (await db.webhook.findUniqueOrThrow({ where: { id } })).secret)).toBe('one');
  });

  it('reseals webhook secrets, including previous ones', async () => {
    const before = await startWith(oldKey);
    const { id } = await makeWebhook();
    const [secret, previousSecret] = ['secret', 'previous_secret'].map((column) => `webhook.${column}:${id}`);
    const sealed = {
      secret: before.seal(secret ?? '', 'one'),
      previousSecret: before.seal(previousSecret ?? '', 'other'),
    };
    await db.webhook.update({ where: { id }, data: sealed });
    const during = await startWith(newKey, oldKey);
    expect(await during.reseal()).toEqual({ resealed: 2, unopened: 0 });
    const after = await startWith(newKey);
    const row = await db.webhook.findUniqueOrThrow({ where: { id } });
    expect(after.unseal(secret ?? '', row.secret)).toBe('one');
    expect(after.unseal(previousSecret ?? '', row.previousSecret ?? new Uint8Array())).toBe('other');
  });

  it('reseals DKIM private keys', async () => {
    const before = await startWith(oldKey);
    const { id: domainId } = await makeDomain();
    const { id } = await makeDkimKey(domainId);
    const place = `dkim_key.private_key:${id}`;
    await db.dkimKey.update({ where: { id }, data: { privateKey: before.seal(place, 'the key') } });
    const during = await startWith(newKey, oldKey);
    expect(await during.reseal()).toEqual({ resealed: 1, unopened: 0 });
    const after = await startWith(newKey);
    expect(after.unseal(place, (await db.dkimKey.findUniqueOrThrow({ where: { id } })).privateKey)).toBe('the key');
  });

  it('reseals once when several instances run at the same time', async () => {
    const before = await startWith(oldKey);
    const ids = await makeMany(150, (i) => makeSealed(before, `secret ${i}`));
    const instances = [
      await startWith(newKey, oldKey),
      await startWith(newKey, oldKey),
      await startWith(newKey, oldKey),
    ];
    const counts = await Promise.all(instances.map((instance) => instance.reseal()));
    expect(counts.reduce((sum, { resealed }) => sum + resealed, 0)).toBe(150);
    for (const [i, id] of ids.entries()) expect(await open(instances[0] as Server, id)).toBe(`secret ${i}`);
  });

  it('runs at every start', async () => {
    const id = await makeSealed(await startWith(oldKey), 'x');
    await startWith(newKey, oldKey);
    process.env.SMTP_URL = 'off';
    (await (await import('@/start')).start()).startTasks();
    const after = await startWith(newKey);
    await expect.poll(() => open(after, id).catch(() => null)).toBe('x');
  });

  it('keeps values that were written meanwhile', async () => {
    const before = await startWith(oldKey);
    const id = await makeSealed(before, 'first');
    const during = await startWith(newKey, oldKey);
    const resealing = db.$transaction(async (tx) => {
      await tx.admin.update({ where: { id }, data: { totpSecret: during.seal(placeOf(id), 'second') } });
      const running = during.reseal();
      await untilBlocked();
      return { running };
    });
    expect(await (await resealing).running).toEqual({ resealed: 0, unopened: 0 });
    expect(await open(during, id)).toBe('second');
  });

  it('keeps values that no listed key opens, and logs once how many and what to do', async () => {
    const before = await startWith(makeKey());
    const lost = [await makeSealed(before, 'a'), await makeSealed(before, 'b')];
    const bytes = await Promise.all(lost.map(stored));
    const openable = await makeSealed(await startWith(oldKey), 'c');

    const during = await startWith(newKey, oldKey);
    const told = vi.spyOn(during.log, 'error').mockImplementation(() => {});
    onTestFinished(() => told.mockRestore());
    expect(await during.reseal()).toEqual({ resealed: 1, unopened: 2 });
    await during.reseal();
    expect(told.mock.calls).toHaveLength(1);
    expect(told.mock.calls[0]).toEqual([{ count: 2 }, expect.stringMatching(/^2 stored secrets .+ add the key .+$/)]);
    expect(await Promise.all(lost.map(stored))).toEqual(bytes);
    expect(await open(during, openable)).toBe('c');
  });

  it('keeps values that were moved from another row', async () => {
    const before = await startWith(oldKey);
    const { id } = await makeAdmin();
    await db.admin.update({ where: { id }, data: { totpSecret: before.seal(placeOf('another'), 'x') } });
    const during = await startWith(newKey, oldKey);
    expect(await during.reseal()).toEqual({ resealed: 0, unopened: 1 });
  });

  it('ends no session while the old key is listed, and all after', async () => {
    const { cookieValue, secret } = (await startWith(oldKey)).newSessionSecret();
    const headers = new Headers({ cookie: `service_session=${cookieValue}` });
    const during = await startWith(newKey, oldKey);
    expect(during.readCredentials(headers)).toEqual({ kind: 'session', secret });
    const after = await startWith(newKey);
    expect(after.readCredentials(headers)).toEqual({ kind: 'session', secret: null });
  });
});
