import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { db } from '@/test/database';
import { keyClient } from '@/test/rest';
import { archiveAuditEntries } from './archive';
import { sealAuditEntries } from './seal';

const OLD = 6_000;
const RECENT = 300;
const now = new Date();
const dir = await mkdtemp(path.join(tmpdir(), 'postroom-archive-'));

afterAll(() => rm(dir, { recursive: true }));

const archive = (keptDays = 30) => archiveAuditEntries(db, { dir, keptDays, now });
const verify = async (query = '?full=true') => (await (await keyClient()).get(`/audit/verify${query}`)).data;
const files = async () => (await readdir(dir)).toSorted().map((name) => path.join(dir, name));

async function insert(count: number, daysAgo: number): Promise<void> {
  await db.$executeRaw`
    INSERT INTO audit_entry (id, action, resource, ip_address, user_agent, request_id, outcome, details, created_at)
    SELECT (lpad(to_hex(${1_000 - daysAgo}::int), 8, '0') || '-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'domain.update',
           'domain:' || n, '192.0.2.1', 'test "ü" \\ ', gen_random_uuid(), 'success',
           jsonb_build_object('after', jsonb_build_object('n', n, 'x', 1.50)), ${now}::timestamptz - ${daysAgo} * interval '1 day'
      FROM generate_series(1, ${count}::int) n`;
  await sealAuditEntries(db, null);
}

/** Runs `npm run audit-archive -- …`. */
function check(paths: string[], secretKey = process.env.SECRET_KEY): Promise<{ code: number | null; output: string }> {
  const env = { ...process.env, SECRET_KEY: secretKey };
  const child = spawn(process.execPath, ['scripts/audit-archive.mjs', ...paths], { env });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output: output.trim() })));
}

it('old entries stay in the database without a retention time, and while the oldest is less than a day over it', async () => {
  await insert(OLD, 40);
  await insert(RECENT, 1);
  await archive(0);
  await archive(39.5);
  expect(await files()).toEqual([]);
  expect(await db.auditEntry.count()).toBe(OLD + RECENT);
});

it('entries of a step in which the chain is broken are neither archived nor deleted', async () => {
  const edit = (action: string) =>
    db.$transaction([
      db.$executeRaw`SET LOCAL session_replication_role = replica`,
      db.$executeRaw`UPDATE audit_entry SET action = ${action} WHERE seq = 5500`,
    ]);
  await edit('x');
  await expect(archive()).rejects.toThrow('the audit log is broken');
  await edit('domain.update');
  expect(await db.auditEntry.count({ where: { seq: { gt: 5000 } } })).toBe(OLD + RECENT - 5000);
});

it('old entries move to files with their proof, and verification continues after them', async () => {
  await verify();
  await Promise.all([archive(), archive()]);
  expect((await files()).map((file) => path.basename(file))).toEqual(['audit-1-5000.ndjson', 'audit-5001-6000.ndjson']);
  const rest = { valid: true, sealed: RECENT, archived: OLD };
  expect(await verify()).toMatchObject({ ...rest, checked: RECENT });
  expect(await verify('')).toMatchObject({ ...rest, checked: 0 });
  const { code, output } = await check(await files());
  const first = await db.auditEntry.findFirstOrThrow({ where: { seq: OLD + 1 } });
  expect(output).toContain(
    `The next entry must have the prev_hash ${Buffer.from(first.prevHash ?? []).toString('hex')}.`,
  );
  expect(code).toBe(0);
  const lines = (await readFile((await files())[0] as string, 'utf8')).trim().split('\n');
  expect(JSON.parse(JSON.parse(lines[1] as string).entry)).toContain('domain:1');
});

it('entries after the archived ones still can’t be deleted, and a removed or forged record is detected', async () => {
  await expect(db.auditEntry.deleteMany({ where: { seq: OLD + 1 } })).rejects.toThrow(/append-only/);
  const record = await db.auditArchived.findUniqueOrThrow({ where: { id: 1 } });
  const second = await db.auditEntry.findUniqueOrThrow({ where: { seq: OLD + 10 } });
  for (const seq of [record.seq + 1n, second.seq as bigint]) {
    await db.auditArchived.update({ where: { id: 1 }, data: { seq, hash: second.hash ?? new Uint8Array() } });
    expect(await verify()).toMatchObject({ valid: false });
  }
  await db.auditArchived.delete({ where: { id: 1 } });
  expect(await verify()).toMatchObject({ valid: false });
  await db.auditArchived.create({ data: record });
  expect(await verify()).toMatchObject({ valid: true });
});

it('an altered, shortened, missing or foreign file is reported', async () => {
  const [one = '', two = ''] = await files();
  const text = await readFile(one, 'utf8');
  const copy = path.join(dir, 'copy.ndjson');
  onTestFinished(() => rm(copy));
  const withText = async (changed: string) => {
    await writeFile(copy, changed);
    return check([copy, two]);
  };
  expect((await withText(text)).code).toBe(0);
  const lines = text.trim().split('\n');
  const cases = [
    [text.replace('domain:77\\"', 'domain:78\\"'), 'entry 77, or one just before it, was altered'],
    [lines.slice(0, -1).join('\n'), 'entries are missing at the end'],
    [lines.toSpliced(10, 1).join('\n'), 'was altered'],
    ['{}', 'is not an archive'],
    ['no JSON', 'is damaged'],
  ] as const;
  for (const [changed, problem] of cases) {
    expect(changed).not.toBe(text);
    expect(await withText(changed)).toEqual({ code: 1, output: expect.stringContaining(problem) });
  }
  expect((await check([one], 'f'.repeat(64))).output).toContain('was not signed with a key in SECRET_KEY');
  expect((await check([])).code).toBe(2);
});

it('a step that failed once its file was written leaves no file, and one whose entries others have is not taken for altered', async () => {
  const later = new Date(now.getTime() + 32 * 86_400_000);
  const archiveLater = () => archiveAuditEntries(db, { dir, keptDays: 30, now: later });
  const before = await files();
  await db.$executeRaw`
    CREATE FUNCTION fill_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION USING ERRCODE = 'disk_full'; END $$`;
  await db.$executeRaw`CREATE TRIGGER full_disk BEFORE UPDATE ON audit_archived EXECUTE FUNCTION fill_disk()`;
  await expect(archiveLater()).rejects.toThrow();
  await db.$executeRaw`DROP FUNCTION fill_disk CASCADE`;
  const [left = ''] = (await files()).filter((file) => !before.includes(file));
  const text = await readFile(left, 'utf8');

  await insert(10, 2);
  await archiveLater();
  const [only = '', ...others] = (await files()).filter((file) => !before.includes(file));
  expect([others, only === left]).toEqual([[], false]);
  expect((await check(await files())).code).toBe(0);

  await writeFile(left, text);
  const { code, output } = await check(await files());
  expect(output).toContain(`${left}: its entries are in ${only} as well.`);
  expect(code).toBe(0);
});
