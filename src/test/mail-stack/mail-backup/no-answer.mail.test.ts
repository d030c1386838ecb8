import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import type { BackupTarget } from '@/mail/agent/backup/plan';
import { repositoryOf } from '@/mail/agent/backup/repository';
import { runRestic } from '@/mail/agent/backup/restic';
import { killAgent } from '../support/agent';
import { listBackups, PLAN, plan, startBackup } from '../support/mail-backup';
import { finished, operate } from '../support/operations';

const STALLED_AFTER_MS = 2_000;
const CREDENTIALS = { accessKeyId: 'a', secretAccessKey: 'b' };

const folder = mkdtempSync(join(tmpdir(), 'postroom-no-answer-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Storage that takes connections and never answers. */
async function startSilentStorage() {
  const open = new Set<Socket>();
  let count = 0;
  const server = createServer((socket) => {
    count += 1;
    open.add(socket.resume());
    socket.on('error', () => {}).on('close', () => open.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const target: BackupTarget = { kind: 's3', bucket: 'backups', prefix: '', endpoint, region: 'us-east-1' };
  return { target, connections: () => count, open: () => open.size };
}

function readFrom(target: BackupTarget): Promise<number> {
  const repository = repositoryOf({ ...PLAN, target, credentials: CREDENTIALS }, folder);
  const { signal } = new AbortController();
  return runRestic(repository, ['cat', 'config'], { signal, stalledAfterMs: STALLED_AFTER_MS });
}

describe('a repository that doesn’t answer', () => {
  it('ends restic', async () => {
    const { target, connections, open } = await startSilentStorage();
    await expect(readFrom(target)).rejects.toMatchObject({
      kind: 'other',
      message: expect.stringMatching(/^The repository in s3:http.*\/backups\/mail doesn’t answer/),
    });
    expect(connections()).toBeGreaterThan(0);
    await expect.poll(open).toBe(0);
  });

  it('keeps the agent from nothing but other work on backups', async () => {
    const { target, open } = await startSilentStorage();
    await plan({ target, credentials: CREDENTIALS });
    const first = await startBackup();
    expect(first.status).toBe(202);
    await expect.poll(open).toBeGreaterThan(0);
    const second = await startBackup();
    expect(second).toMatchObject({ status: 409, error: { details: { operation_id: first.data.id } } });
    expect(await operate({ action: 'reload', service: 'postfix' })).toMatchObject({ state: 'succeeded' });
    expect((await listBackups()).running_operation_id).toBe(first.data.id);
    killAgent();
    expect(await finished(first.data.id)).toMatchObject({ state: 'interrupted' });
    await expect.poll(open, { message: 'restic ends with the agent' }).toBe(0);
  });
});
