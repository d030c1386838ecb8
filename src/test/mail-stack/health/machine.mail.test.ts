import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkMailDisk } from '@/agent/watching';
import { requestChecks } from '@/modules/system/health/check-now';
import { checkDatabase } from '@/modules/system/health/database';
import { checkDisk } from '@/server/machine';
import { findCheck } from '../support/health';
import { db } from '../support/mail-server';

/** A disk of one megabyte and 100 inodes. */
function smallDisk(): string {
  const folder = mkdtempSync(join(tmpdir(), 'postroom-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m,nr_inodes=100', 'none', folder]);
  onTestFinished(() => {
    execFileSync('umount', [folder]);
    rmSync(folder, { recursive: true });
  });
  return folder;
}

const statusOf = async (name: string, folder: string) =>
  (await checkDisk(['disk', 'inodes'], folder)).findings.find((finding) => finding.name === name)?.status;

describe('a disk', () => {
  it('is degraded and then down while it fills up, and ok once there is room', async () => {
    const folder = smallDisk();
    expect(await statusOf('disk', folder)).toBe('ok');
    const fill = (name: string, kilobytes: number) => writeFileSync(join(folder, name), Buffer.alloc(kilobytes * 1024));
    fill('mail', 750);
    expect(await statusOf('disk', folder)).toBe('degraded');
    fill('log', 200);
    expect(await statusOf('disk', folder)).toBe('down');
    rmSync(join(folder, 'mail'));
    expect(await statusOf('disk', folder)).toBe('ok');
  });

  it('is degraded and then down while its inodes are used up by empty files', async () => {
    const folder = smallDisk();
    const create = (from: number, until: number) => {
      for (let number = from; number < until; number++) writeFileSync(join(folder, String(number)), '');
    };
    expect(await statusOf('inodes', folder)).toBe('ok');
    create(0, 75);
    expect([await statusOf('inodes', folder), await statusOf('disk', folder)]).toEqual(['degraded', 'ok']);
    create(75, 95);
    expect(await statusOf('inodes', folder)).toBe('down');
  });
});

describe('the disk of the mail server', () => {
  it('is down once Postfix refuses all mail, whatever part of it is free', async () => {
    const folder = smallDisk();
    for (const name of ['queue', 'mail', 'postfix']) mkdirSync(join(folder, name));
    const statusAt = async (messageSizeBytes: number) => {
      writeFileSync(join(folder, 'postfix/main.cf'), `message_size_limit = ${messageSizeBytes}\n`);
      const [disk] = await checkMailDisk({ config: folder, data: folder });
      return disk?.status;
    };
    expect(await statusAt(100 * 1024)).toBe('ok');
    expect(await statusAt(500 * 1024)).toBe('degraded');
    expect(await statusAt(800 * 1024)).toBe('down');
  });

  it('has a check of its own, so that of the app on the same host doesn’t hide it', async () => {
    await requestChecks(db);
    await expect.poll(async () => (await findCheck('mail_disk'))?.subject).toBe(hostname());
    expect(await findCheck('disk')).toBeUndefined();
  });
});

describe('Postgres', () => {
  it('is degraded and then down while its connections are used up, and ok once they are free', async () => {
    const clients: pg.Client[] = [];
    const close = () => Promise.all(clients.splice(0).map((client) => client.end()));
    onTestFinished(async () => void (await close()));
    const connections = async () =>
      (await checkDatabase(db)).find(({ name }) => name === 'database_connections')?.status;
    const openUntil = async (status: string) => {
      while ((await connections()) !== status) {
        const client = new pg.Client(process.env.DATABASE_URL);
        client.on('error', () => {});
        await client.connect();
        clients.push(client);
      }
    };
    expect(await connections()).toBe('ok');
    await openUntil('degraded');
    await openUntil('down');
    await close();
    await expect.poll(connections).toBe('ok');
  });
});
