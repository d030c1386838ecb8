import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { applySaved } from '@/server/settings/env';
import { alterAuditLog, auditClient, EMPTIED, writeEntry } from '@/test/audit-log';
import { manualClock } from '@/test/clock';
import { db } from '@/test/database';
import { keyClient } from '@/test/rest';
import { ARCHIVE_FOLDER, archiveAuditEntries } from '../archive';
import type { AuditVerification } from '../schema';
import { sealAuditEntries } from '../seal';
import { signAgain } from '../sign-again';
import { openAuditAnchor, setAuditAnchor } from './anchor';

const api = await keyClient();
const root = await mkdtemp(join(tmpdir(), 'postroom-anchors-'));
afterAll(() => rm(root, { recursive: true }));

let clock: ReturnType<typeof manualClock>;

beforeEach(async () => {
  clock = manualClock(new Date().toISOString());
  await alterAuditLog(EMPTIED);
});

let folders = 0;

/** An instance with a DATA_DIR, a new one unless given. */
function startInstance(dataDir = join(root, `${++folders}`)) {
  const anchor = openAuditAnchor(dataDir, clock);
  return {
    dataDir,
    file: join(dataDir, 'audit-head'),
    anchor,
    async seal(count = 0) {
      for (let i = 0; i < count; i += 1) await writeEntry(clock.now());
      await sealAuditEntries(db, anchor);
    },
    status: () => anchor.check()[0]?.status,
    async verify() {
      setAuditAnchor(anchor);
      return (await api.get('/audit/verify?full=true')).data as AuditVerification;
    },
  };
}

const keptBy = async (file: string) => Number(/"seq":"(\d+)"/.exec(await readFile(file, 'utf8'))?.[1]);

it('the kept end is written every five seconds at most, every minute without entries, and when the instance stops', async () => {
  const instance = startInstance();
  await instance.seal(3);
  expect(await keptBy(instance.file)).toBe(3);
  clock.advance(4);
  await instance.seal(1);
  expect(await keptBy(instance.file)).toBe(3);
  clock.advance(1);
  await instance.seal();
  expect(await keptBy(instance.file)).toBe(4);
  const before = await readFile(instance.file, 'utf8');
  clock.advance(59);
  await instance.seal();
  expect(await readFile(instance.file, 'utf8')).toBe(before);
  clock.advance(1);
  await instance.seal();
  expect(await readFile(instance.file, 'utf8')).not.toBe(before);
  await instance.seal(1);
  await instance.anchor.end();
  expect(await keptBy(instance.file)).toBe(5);
});

it('several instances follow each other, and each one notices what happened while it was stopped', async () => {
  const [one, other] = [startInstance(), startInstance()];
  await one.seal(3);
  await other.seal(3);
  await one.seal(3);
  expect([one.status(), other.status()]).toEqual(['ok', 'ok']);
  await one.anchor.end();
  await other.anchor.end();
  await alterAuditLog(EMPTIED);
  const unaware = startInstance();
  await unaware.seal(20);
  for (const { dataDir } of [one, other]) {
    const restarted = startInstance(dataDir);
    await restarted.seal();
    expect(restarted.status()).toBe('down');
    expect(await restarted.verify()).toMatchObject({
      valid: false,
      message: expect.stringMatching(/^The log was replaced: the database has entry (6|9) .+, which was entry (6|9) /),
    });
  }
});

it('an instance that was stopped for long compares its end with archived entries', async () => {
  const old = startInstance();
  await old.seal(5);
  await old.anchor.end();
  await alterAuditLog("UPDATE audit_entry SET created_at = created_at - interval '90 days', seq = NULL, hash = NULL");
  await alterAuditLog("UPDATE audit_head SET seq = 0, hash = '', signature = NULL");
  const other = startInstance();
  await other.seal(10);
  await archiveAuditEntries(db, { dir: join(other.dataDir, ARCHIVE_FOLDER), keptDays: 30, now: clock.now() });
  expect(await db.auditEntry.findFirst({ where: { seq: { lte: 5 } } })).toBeNull();
  await other.seal();
  expect(other.status()).toBe('ok');
  const restarted = startInstance(old.dataDir);
  await restarted.seal();
  expect(restarted.status()).toBe('down');
  // The same log, which is where it was.
  const same = startInstance(other.dataDir);
  await same.seal(1);
  expect(same.status()).toBe('ok');
  expect(await same.verify()).toMatchObject({ valid: true, archived: 5 });
});

it('a new DATA_DIR believes the database, and says since which entry', async () => {
  await startInstance().seal(7);
  const fresh = startInstance();
  await fresh.seal(1);
  expect(await fresh.verify()).toMatchObject({
    valid: true,
    known_since_entry: 7,
    message: expect.stringMatching(/has known the log since entry 7/),
  });
});

it('an entry is untimely by what the instance saw, or by its order, but not if every instance was stopped', async () => {
  const instance = startInstance();
  await instance.seal(2);
  await instance.anchor.end();
  clock.advance(3600);
  await writeEntry(clock.now());
  clock.advance(3600);
  const restarted = startInstance(instance.dataDir);
  await restarted.seal();
  expect(await restarted.verify()).toMatchObject({ sealed: 3, untimely_entries: 0 });
  clock.advance(3600);
  await restarted.seal();
  await writeEntry(new Date(clock.now().getTime() - 1_800_000));
  await restarted.seal();
  expect(await restarted.verify()).toMatchObject({ sealed: 4, untimely_entries: 1 });
  // An instance that has just been started saw nothing.
  await writeEntry(new Date(clock.now().getTime() - 9_000_000));
  await sealAuditEntries(db, null);
  await writeEntry(clock.now());
  await sealAuditEntries(db, null);
  expect(await restarted.verify()).toMatchObject({ valid: true, sealed: 6, untimely_entries: 2 });
});

it('an end that can’t be kept degrades the check, and entries are still sealed', async () => {
  await writeFile(join(root, 'file'), '');
  const instance = startInstance(join(root, 'file'));
  await instance.seal(2);
  expect(instance.anchor.check()).toMatchObject([{ status: 'degraded', message: /audit-head can’t be kept/ }]);
  expect(await db.auditEntry.count({ where: { seq: null } })).toBe(0);
  await alterAuditLog(EMPTIED);
  await instance.seal(1);
  expect(instance.status()).toBe('down');
});

it('SECRET_KEY can be rotated: everything is signed with the new key, then the old one can go', async () => {
  const secretKey = String(process.env.SECRET_KEY);
  const setKeys = (keys: string) => {
    process.env.SECRET_KEY = keys;
    // Another saved setting, so that all are read again.
    applySaved({ EVENT_RETENTION_DAYS: String(keys.length) });
  };
  onTestFinished(() => setKeys(secretKey));
  const instance = startInstance();
  await instance.seal(2);
  await instance.anchor.end();
  const newKey = 'n'.repeat(40);
  setKeys(`${newKey},${secretKey}`);
  const rotating = startInstance(instance.dataDir);
  await rotating.seal();
  await signAgain((sql, values) => db.$queryRawUnsafe(sql, ...values));
  setKeys(newKey);
  const rotated = startInstance(instance.dataDir);
  await rotated.seal(1);
  expect(rotated.status()).toBe('ok');
});

it('"npm run admin -- accept-audit-log" lets instances go on from the end that the database has, once', async () => {
  const instance = startInstance();
  await instance.seal(9);
  await alterAuditLog(EMPTIED);
  await instance.seal(4);
  expect(instance.status()).toBe('down');
  clock.advance(1);
  const output = execFileSync(process.execPath, ['scripts/admin.mjs', 'accept-audit-log'], { encoding: 'utf8' });
  expect(output).toContain('it ends with entry 0. Instances go on from there.');
  await instance.seal();
  expect(instance.status()).toBe('ok');
  expect(await instance.verify()).toMatchObject({ valid: true, sealed: 5, unsealed: 0 });
  expect(await db.auditEntry.findFirst({ where: { action: 'audit.accept' } })).toMatchObject({
    resource: 'audit',
    details: { source: 'command_line', accepted: { seq: '0', hash: '' }, former: { seq: '0' } },
  });
  // A second going back is not covered by the first one's record.
  const { rows } = await auditClient.query('SELECT * FROM audit_accepted');
  clock.advance(120);
  await instance.seal(3);
  await alterAuditLog(EMPTIED);
  await db.auditAccepted.create({
    data: { id: 1, seq: 0n, hash: new Uint8Array(), signature: rows[0].signature, acceptedAt: rows[0].accepted_at },
  });
  await instance.seal(1);
  expect(instance.status()).toBe('down');
});
