import { expect, it, onTestFinished } from 'vitest';
import { isPassword } from '@/server/secrets/password';
import { db } from '@/test/database';
import { makeDomain } from '@/test/factories';
import { expectError, keyClient } from '@/test/rest';

const api = await keyClient({ role: 'admin' });
const importFile = async (lines: string[], over: object = {}) =>
  api.post('/mailboxes/import', { domain_id: null, csv: ['email,display_name', ...lines].join('\n'), ...over });

it('creates the mailboxes of several domains, and rejects by themselves the lines of others', async () => {
  const [one, other] = [await makeDomain(), await makeDomain()];
  const lines = [`ann@${other.name},Ann`, `ann@${one.name},`, 'bo@unmanaged.example,Bo', 'cy,Cy', `ann@${one.name},`];
  const dry = await importFile(lines, { dry_run: true });
  expect(await db.mailbox.count({ where: { domainId: { in: [one.id, other.id] } } })).toBe(0);
  const { data } = await importFile(lines);
  const withoutPasswords = data.lines.map((line: object) => ({ ...line, password: null }));
  expect(dry.data).toEqual({ ...data, dry_run: true, lines: withoutPasswords });
  expect(data).toMatchObject({ total: 5, created: 2, failed: 3 });
  expect(data.lines).toMatchObject([
    { line: 2, domain: other.name, local_part: 'ann', outcome: 'created' },
    { line: 3, domain: one.name, local_part: 'ann', outcome: 'created' },
    { line: 4, domain: null, local_part: 'bo@unmanaged.example', code: 'DOMAIN_NOT_FOUND' },
    { line: 5, domain: null, local_part: 'cy', display_name: 'Cy', code: 'VALIDATION_ERROR' },
    { line: 6, domain: one.name, code: 'CONFLICT' },
  ]);
  expect(data.failed_csv.split('\r\n')[1]).toMatch(/^bo@unmanaged\.example,Bo,The domain unmanaged\.example/);
  const ann = await db.mailbox.findFirstOrThrow({ where: { domainId: other.id, localPart: 'ann' } });
  expect(await isPassword(data.lines[0].password, ann.passwordHash)).toBe(true);
});

it('keeps the passwords of what was created when a domain of the file reaches its limit', async () => {
  const domain = await makeDomain();
  const full = await makeDomain();
  await db.domain.update({ where: { id: full.id }, data: { maxMailboxes: 0 } });
  const { data } = await importFile([`ann@${full.name},`, `ann@${domain.name},`]);
  expect(data.lines).toMatchObject([
    { domain: full.name, outcome: 'failed', code: 'CONFLICT', password: null },
    { domain: domain.name, outcome: 'created', password: expect.any(String) },
  ]);
});

/** Lowers the limit of a domain once it has this mailbox, and lets the statement that creates `timeout` take too long. */
async function failAfter(localPart: string): Promise<void> {
  await db.$executeRawUnsafe(`
    CREATE FUNCTION fail_later() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF NEW.local_part = 'timeout' THEN RAISE EXCEPTION 'canceling statement' USING ERRCODE = '57014'; END IF;
      IF NEW.local_part = '${localPart}' THEN UPDATE domain SET max_mailboxes = 1 WHERE id = NEW.domain_id; END IF;
      RETURN NULL;
    END $$`);
  await db.$executeRaw`CREATE TRIGGER fail_later AFTER INSERT ON mailbox FOR EACH ROW EXECUTE FUNCTION fail_later()`;
  onTestFinished(async () => {
    await db.$executeRaw`DROP FUNCTION fail_later CASCADE`;
  });
}

it('keeps the passwords of what was created when a later step of the one domain fails', async () => {
  await failAfter('ann');
  for (const [first, last, code] of [
    ['ann', 'bo', 'CONFLICT'],
    ['amy', 'timeout', 'SERVICE_UNAVAILABLE'],
  ] as const) {
    const domain = await makeDomain();
    const csv = ['email', first, ...Array(49).fill('two words'), last].join('\n');
    const { status, data } = await api.post('/mailboxes/import', { domain_id: domain.id, csv });
    expect([status, data.created, data.failed]).toEqual([200, 1, 50]);
    expect(data.lines[0]).toMatchObject({ local_part: first, outcome: 'created', password: expect.any(String) });
    expect(data.lines[50]).toMatchObject({ local_part: last, outcome: 'failed', code, password: null });
    expect(data.failed_csv).toContain(last);
  }
});

it('keeps the passwords of what was created when the database takes too long, and ends there', async () => {
  await failAfter('nobody');
  const domains = await Promise.all([makeDomain(), makeDomain(), makeDomain()]);
  const [one, two, three] = domains.map(({ name }) => name).toSorted();
  const { data } = await importFile([`ann@${one},`, `timeout@${two},`, `ann@${three},`]);
  expect(data.lines).toMatchObject([
    { outcome: 'created', password: expect.any(String) },
    { domain: two, outcome: 'failed', code: 'SERVICE_UNAVAILABLE' },
    { local_part: `ann@${three}`, outcome: 'failed', code: 'SERVICE_UNAVAILABLE' },
  ]);
  const again = await importFile([`timeout@${two},`, `ann@${three},`]);
  expectError(again, 503, 'SERVICE_UNAVAILABLE');
});
