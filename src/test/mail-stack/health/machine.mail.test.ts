import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkDatabase } from '@/modules/system/health/database';
import { checkMachine } from '@/server/machine';
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
  (await checkMachine(folder)).find((finding) => finding.name === name)?.status;

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
