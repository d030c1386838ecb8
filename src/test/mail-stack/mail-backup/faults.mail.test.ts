import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { startS3Server } from '../../servers/s3';
import { killAgent } from '../support/agent';
import { makeDomain, makeMailbox } from '../support/directory';
import { openLmtp } from '../support/lmtp-session';
import {
  backUp,
  checkBackups,
  contentOf,
  latestSnapshot,
  listBackups,
  plan,
  restoreMailbox,
  startBackup,
  startRestore,
} from '../support/mail-backup';
import { db, mailServer } from '../support/mail-server';
import { finished, textOf } from '../support/operations';

const folder = mkdtempSync(join(tmpdir(), 'postroom-mail-faults-'));
afterAll(() => rmSync(folder, { recursive: true }));

let domain: { id: string; name: string };
let target: { kind: 'file'; folder: string };
let mailbox: { id: string };
const at = (local: string) => `${local}@${domain.name}`;

/** Each test has a repository of its own. */
beforeEach(async () => {
  target = { kind: 'file', folder: mkdtempSync(join(folder, 'target-')) };
  await plan({ target });
  domain = await makeDomain();
  mailbox = await makeMailbox(domain.id, 'ann');
  const deliver = await openLmtp();
  await deliver(at('ann'), 'Good morning. '.repeat(500));
});

const restores = () => readdirSync(join(mailServer.data, 'mail/.restore'), { withFileTypes: true });
const largeText = (bytes: number) => randomBytes(bytes).toString('base64').replace(/.{76}/g, '$&\n');
const packs = () => {
  const data = join(target.folder, 'mail/data');
  const paths = readdirSync(data, { recursive: true, encoding: 'utf8' }).map((path) => join(data, path));
  return paths.filter((path) => statSync(path).isFile());
};

async function untilOutput(id: string, text: string): Promise<void> {
  const find = () => db.operationLine.findFirst({ where: { operationId: id, text: { contains: text } } });
  await expect.poll(find, { interval: 5, timeout: 60_000 }).not.toBeNull();
}

describe('a backup', () => {
  it('says that the key is another one, or that its folder is away, in whose place it makes no other one', async () => {
    await backUp();
    await plan({ target, password: 'AGE-SECRET-KEY-1ANOTHER' });
    const refused = await backUp();
    expect(refused.message).toContain('The backup key doesn’t open the repository');
    expect(textOf(refused)).not.toContain('AGE-SECRET-KEY-1ANOTHER');
    await plan({ target });
    rmSync(target.folder, { recursive: true });
    const reason = `There is no folder ${target.folder} on this host.`;
    expect(await backUp()).toMatchObject({ state: 'failed', message: expect.stringContaining(reason) });
    expect(existsSync(target.folder)).toBe(false);
    // As if the disk weren't mounted.
    mkdirSync(target.folder);
    const operation = await backUp();
    expect(operation).toMatchObject({
      state: 'failed',
      message: expect.stringContaining('The repository is gone from'),
    });
    expect(readdirSync(target.folder)).toEqual([]);
    expect((await listBackups()).mail_servers[0]?.failure).toBe(operation.message);
  });

  it('says that the disk is full, and succeeds once there is room', async () => {
    const deliver = await openLmtp();
    await deliver(at('ann'), largeText(200_000));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=100k', 'tmpfs', target.folder]);
    onTestFinished(() => void execFileSync('umount', [target.folder]));
    expect(await backUp()).toMatchObject({ state: 'failed', message: expect.stringContaining('A disk is full') });
    execFileSync('mount', ['-o', 'remount,size=200m', target.folder]);
    expect(await backUp()).toMatchObject({ state: 'succeeded' });
  });

  it('goes to S3-compatible storage, and a mailbox comes back from there', async () => {
    const { bucket, endpoint, credentials, close } = await startS3Server();
    onTestFinished(close);
    await plan({ target: { kind: 's3', bucket, prefix: 'backups', endpoint, region: 'us-east-1' }, credentials });
    const operation = await backUp();
    expect(operation, textOf(operation)).toMatchObject({ state: 'succeeded' });
    expect(textOf(operation)).not.toContain(credentials.secretAccessKey + credentials.accessKeyId);
    expect(await restoreMailbox(await latestSnapshot(), at('ann'), 'in_place')).toMatchObject({ state: 'succeeded' });
    await close();
    expect((await backUp()).message).toContain('can’t be reached: connect ECONNREFUSED');
  });

  it('whose agent is killed leaves no snapshot, and the next one is whole', async () => {
    await backUp();
    const before = await latestSnapshot();
    const { data } = await startBackup();
    await untilOutput(data.id, 'Backing up');
    killAgent();
    expect(await finished(data.id)).toMatchObject({ state: 'interrupted' });
    expect(await latestSnapshot()).toBe(before);
    await expect.poll(async () => (await startBackup()).status).toBe(202);
    const [running] = await db.operation.findMany({ where: { finishedAt: null, lane: 'mail_backup' } });
    expect(await finished(String(running?.id))).toMatchObject({ state: 'succeeded' });
    expect((await listBackups()).snapshots).toHaveLength(2);
    expect(await checkBackups()).toMatchObject({ state: 'succeeded' });
  });
});

describe('a damaged repository', () => {
  it('is found by a check, and refused by a restore that names the files and changes nothing', async () => {
    // The pack of this message is the largest.
    await openLmtp().then((deliver) => deliver(at('ann'), largeText(3_000_000)));
    await backUp();
    const before = await contentOf(at('ann'));
    const [mail = ''] = packs().toSorted((one, other) => statSync(other).size - statSync(one).size);
    chmodSync(mail, 0o600);
    truncateSync(mail, Math.floor(statSync(mail).size / 2));
    const checked = await checkBackups();
    expect(checked).toMatchObject({ state: 'failed', message: expect.stringContaining('The repository is damaged.') });
    expect(textOf(checked)).toMatch(/pack [0-9a-f]{64}: unexpected file size/);
    expect((await listBackups()).mail_servers[0]?.check_failure).toBe(checked.message);
    const operation = await restoreMailbox(await latestSnapshot(), at('ann'), 'in_place');
    expect(operation).toMatchObject({ state: 'failed', message: expect.stringContaining('Nothing was changed.') });
    expect(textOf(operation)).toContain(`ignoring error for /mail/${domain.name}/ann/`);
    expect(await contentOf(at('ann'))).toEqual(before);
    expect(restores()).toEqual([]);
  });
});

describe('a restore', () => {
  it('refuses a snapshot that is gone, a mailbox that is not in it, and one that would be over its quota', async () => {
    await backUp();
    const snapshot = await latestSnapshot();
    await makeMailbox(domain.id, 'late');
    const late = await restoreMailbox(snapshot, at('late'), 'beside');
    expect(late.message).toBe(`${at('late')} has no mail in this snapshot. Nothing was changed.`);
    expect((await startRestore('0'.repeat(64), at('ann'), 'beside')).status).toBe(404);
    expect((await startRestore(snapshot, at('nobody'), 'beside')).status).toBe(404);
    await db.mailSnapshot.create({ data: { host: 'mail.example.test', id: '0'.repeat(64), takenAt: new Date(0) } });
    const gone = await restoreMailbox('0'.repeat(64), at('ann'), 'beside');
    expect(gone.message).toContain('This snapshot is no longer in the repository.');
    await db.mailbox.update({ where: { id: mailbox.id }, data: { quotaBytes: 4096 } });
    const before = await contentOf(at('ann'));
    for (const mode of ['beside', 'in_place'] as const)
      expect((await restoreMailbox(snapshot, at('ann'), mode)).message).toContain('over its quota');
    expect(await contentOf(at('ann'))).toEqual(before);
    expect(restores()).toEqual([]);
  });

  it('whose agent is killed while the mailbox is blocked leaves it as it was', async () => {
    await backUp();
    const deliver = await openLmtp();
    await deliver(at('ann'), 'Second.');
    const before = await contentOf(at('ann'));
    const home = join(mailServer.data, 'mail', domain.name, 'ann', mailbox.id);
    // The restore waits while a process has the mailbox open.
    const file = openSync(join(home, 'mail/mailboxes/INBOX/dbox-Mails/dovecot.index.log'), 'r');
    onTestFinished(() => closeSync(file));
    const { data } = await startRestore(await latestSnapshot(), at('ann'), 'in_place');
    await expect.poll(() => statSync(home).uid, { interval: 20 }).toBe(0);
    await expect(openLmtp().then((again) => again(at('ann'), 'Meanwhile.'))).rejects.toThrow(/: 4\d\d /);
    killAgent();
    expect(await finished(data.id)).toMatchObject({ state: 'interrupted' });
    await expect.poll(() => restores()).toEqual([]);
    expect(await contentOf(at('ann'))).toEqual(before);
    await openLmtp().then((again) => again(at('ann'), 'Third.'));
    expect((await contentOf(at('ann'))).INBOX).toHaveLength(3);
  });
});
