import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { afterEach, describe, expect, it } from 'vitest';
import { applySaved } from '@/server/settings/env';
import { readSettings } from '@/server/settings/settings.mjs';
import { db } from '@/test/database';
import { keyClient } from '@/test/rest';
import { verifyArchive } from './archive/verify';
import { backupKeyFile } from './encryption';
import { operationsEnded } from './operations/run';
import { openTarget } from './target/open';

const api = await keyClient();
afterEach(() => applySaved({}));

async function make() {
  const { data } = await api.post('/backups', {});
  await operationsEnded();
  const { name } = await db.backup.findUniqueOrThrow({ where: { id: data.id } });
  return { id: data.id as string, name };
}

async function open(name: string, keys: { identities?: string[]; passphrases?: string[] }) {
  const target = await openTarget();
  const source = async () => {
    const archive = await target.read(name);
    if (!archive) throw new Error(`${name} is missing`);
    return archive;
  };
  return verifyArchive({ open: source, keys: { identities: [], ...keys } });
}

async function verify(id: string) {
  const { data } = await api.post(`/backups/${id}/verify`, {});
  await operationsEnded();
  return (await api.get(`/backups/operations/${data.id}`)).data;
}

const encryption = async () => (await api.get('/backups/plan')).data.encryption;

describe('an archive', () => {
  it('with a passphrase needs no key, and is opened by that passphrase alone', async () => {
    const passphrase = randomUUID();
    applySaved({ BACKUP_PASSPHRASE: passphrase });
    const { id, name } = await make();
    expect(existsSync(backupKeyFile())).toBe(false);
    expect(await encryption()).toMatchObject({ kind: 'passphrase', recipients: [] });
    expect((await open(name, { passphrases: [passphrase] })).rows).toBeGreaterThan(0);
    await expect(open(name, { passphrases: [randomUUID()] })).rejects.toMatchObject({ problem: 'wrong_key' });
    expect(await verify(id)).toMatchObject({ state: 'succeeded' });
    applySaved({ BACKUP_PASSPHRASE: randomUUID() });
    expect(await verify(id)).toMatchObject({ state: 'failed', message: 'None of the keys opens this archive.' });
    const shown = JSON.stringify([(await api.get('/config')).data, await encryption()]);
    expect(shown).not.toContain(passphrase);
  });

  it('is opened by the own key and by each of BACKUP_RECIPIENTS', async () => {
    const others = [await generateX25519Identity(), await generateX25519Identity()];
    const recipients = await Promise.all(others.map(identityToRecipient));
    applySaved({ BACKUP_RECIPIENTS: recipients.join(', ') });
    const { id, name } = await make();
    expect(await encryption()).toMatchObject({ kind: 'keys', recipients: expect.arrayContaining(recipients) });
    expect((await encryption()).recipients).toHaveLength(3);
    for (const identity of others) expect((await open(name, { identities: [identity] })).rows).toBeGreaterThan(0);
    await expect(open(name, { identities: [await generateX25519Identity()] })).rejects.toThrow('None of the keys');
    applySaved({});
    expect(await verify(id)).toMatchObject({ state: 'succeeded' });
  });
});

describe('the settings', () => {
  const recipient = 'age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p';

  it.each([
    [{ BACKUP_RECIPIENTS: 'AGE-SECRET-KEY-1QQ' }, /^BACKUP_RECIPIENTS must list public keys of age/],
    [{ BACKUP_RECIPIENTS: `${recipient},age1short` }, /^BACKUP_RECIPIENTS must list/],
    [{ BACKUP_PASSPHRASE: 'short' }, /^BACKUP_PASSPHRASE is too short: use at least 16/],
    [{ BACKUP_PASSPHRASE: randomUUID(), BACKUP_RECIPIENTS: recipient }, /exclude each other/],
    [{ BACKUP_TARGET: 'ftp://a' }, /^BACKUP_TARGET must look like file:/],
    [{ BACKUP_TARGET: 's3://bucket' }, /^BACKUP_TARGET is a bucket: set AWS_ACCESS_KEY_ID/],
  ])('%j are rejected in one sentence', (given, sentence) => {
    expect(() => readSettings(given)).toThrow(sentence);
  });
});
