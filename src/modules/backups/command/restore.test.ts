import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { uuidv7 } from '@/lib/uuid';
import { backUp, connect, identity, makeDatabase, sourceOf } from '@/test/backups';
import { makeDomain } from '@/test/factories';
import { restore } from '../restore/restore';
import { recordCommand, restoreFile } from './restore';

const dataDir = mkdtempSync(join(tmpdir(), 'postroom-restore-'));
afterAll(() => rmSync(dataDir, { recursive: true }));
const file = join(dataDir, 'first.age');
const { url, client } = await makeDatabase();
const other = await connect(url);

let bytes: Buffer;
beforeAll(async () => {
  await makeDomain({ name: 'a.example' });
  bytes = await backUp(await connect(String(process.env.DATABASE_URL)));
  writeFileSync(file, bytes);
  writeFileSync(join(dataDir, 'backup-key'), identity);
});
beforeEach(async () => {
  await client.query('TRUNCATE domain, backup_operation CASCADE');
});

const run = (confirm: () => Promise<boolean>) =>
  restoreFile({ file, dataDir, databaseUrl: url, isDryRun: false, confirm });
const domains = async () => (await client.query('SELECT name FROM domain')).rows;

async function startOperation(action: 'create' | 'restore') {
  await client.query(
    `INSERT INTO backup_operation (id, action, backup_id, backup_name, request_id, ip_address, user_agent, runner,
                                   lease_token, leased_until)
     VALUES ($1, $2, $1, 'nightly.age', $1, '127.0.0.1', 'test', 'mx1', $1, now() + interval '1 hour')`,
    [uuidv7(), action],
  );
}

describe('while npm run restore asks', () => {
  it('others can make backups', async () => {
    const isFree = async () => {
      const { rows } = await other.query('SELECT pg_try_advisory_lock(7203019) AS free');
      await other.query('SELECT pg_advisory_unlock_all()');
      return rows[0].free;
    };
    // The lock of a connection that has ended is released soon.
    const isRestored = await run(async () => {
      await expect.poll(isFree).toBe(true);
      return true;
    });
    expect(isRestored).toBe(true);
    expect(await domains()).toEqual([{ name: 'a.example' }]);
  });

  it('an operation that starts is named, and nothing is restored', async () => {
    const restoring = run(async () => {
      await expect
        .poll(async () => (await other.query('SELECT pg_try_advisory_lock(7203019) AS l')).rows[0].l)
        .toBe(true);
      await startOperation('create');
      return true;
    });
    onTestFinished(() => void other.query('SELECT pg_advisory_unlock_all()'));
    await expect(restoring).rejects.toThrow('A backup is being made (nightly.age, by mx1). Wait until it is finished.');
    expect(await domains()).toEqual([]);
  });

  it('another restore, by the app or the command, makes what was shown untrue', async () => {
    const byApp = async () => {
      await startOperation('restore');
      await client.query("UPDATE backup_operation SET state = 'succeeded', finished_at = clock_timestamp()");
      return true;
    };
    await expect(run(byApp)).rejects.toThrow('nightly.age was restored meanwhile, by mx1. Start over');
    const byCommand = async () => {
      const record = () => recordCommand(other, 'backup.restore', { file: '/mnt/usb/second.age' });
      await restore(other, sourceOf(bytes), { record });
      await other.query('TRUNCATE domain CASCADE');
      return true;
    };
    await expect(run(byCommand)).rejects.toThrow('/mnt/usb/second.age was restored meanwhile, by npm run restore.');
    expect(await domains()).toEqual([]);
  });
});
