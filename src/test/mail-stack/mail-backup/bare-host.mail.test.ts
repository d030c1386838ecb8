import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { whileAgentStopped } from '../support/agent';
import { makeDomain, makeMailbox, PASSWORD } from '../support/directory';
import { openLmtp } from '../support/lmtp-session';
import {
  backUp,
  configure,
  contentOf,
  expectUsable,
  fill,
  KEY,
  plan,
  REPOSITORY,
  restoreServer,
  unusableIn,
} from '../support/mail-backup';
import { mailServer, portOf } from '../support/mail-server';
import { uploadScript } from '../support/manage-sieve';
import { runStack } from '../support/services';

const folder = mkdtempSync(join(tmpdir(), 'postroom-bare-host-'));
afterAll(() => rmSync(folder, { recursive: true }));
const keyFile = join(folder, 'kept-outside');
const repository = join(folder, 'repository');
const settings = join(mailServer.config, '../settings');
/** Settings of the operator. */
const custom = join(mailServer.config, 'custom/dovecot');
const { TLS_CERTIFICATE = '', TLS_KEY = '' } = mailServer.settings;

function redis(...args: string[]): string {
  const env = {
    PATH: process.env.PATH,
    REDISCLI_AUTH: mailServer.settings.REDIS_PASSWORD,
  } as unknown as NodeJS.ProcessEnv;
  return execFileSync('redis-cli', ['-p', String(portOf('REDIS_PORT')), ...args], { env, encoding: 'utf8' }).trim();
}

/** Everything of the mail server, with what the backup key and the repository are not. */
function destroy(): void {
  const lost = ['mail', 'dovecot', 'rspamd', 'redis', 'acme', 'tls', 'backups'].map((name) =>
    join(mailServer.data, name),
  );
  for (const path of [...lost, mailServer.config, settings, TLS_CERTIFICATE, TLS_KEY])
    rmSync(path, { recursive: true, force: true });
}

const restore = () => restoreServer(keyFile, repository, settings);

describe('a mail server that lost everything', () => {
  it('has every message, flag, script and key again after a restore on the bare host', async () => {
    await plan();
    const domain = await makeDomain();
    const at = (local: string) => `${local}@${domain.name}`;
    for (const name of ['ann', 'bo']) await makeMailbox(domain.id, name);
    await fill(at('ann'));
    const deliver = await openLmtp();
    await deliver(at('bo'), 'Good morning.');
    await uploadScript(at('bo'), PASSWORD, 'require ["fileinto", "mailbox"]; fileinto :create "Sorted";');
    redis('SET', 'learned', 'spam');
    mkdirSync(join(custom, '..'), { recursive: true });
    writeFileSync(custom, '# Ours.\n');
    expect(await backUp()).toMatchObject({ state: 'succeeded' });
    const before = { ann: await contentOf(at('ann')), bo: await contentOf(at('bo')) };
    const settingsBefore = readFileSync(settings, 'utf8');
    const keyBefore = readFileSync(TLS_KEY, 'utf8');
    expect(Object.keys(before.ann)).toHaveLength(3);

    await whileAgentStopped(async () => {
      runStack('stop');
      cpSync(REPOSITORY, repository, { recursive: true });
      writeFileSync(keyFile, `# Opens the backups of Postroom.\n${KEY}\n`);
      destroy();
      expect(restore(), 'the first run').toMatchObject({ status: 0, stdout: expect.stringContaining('Adapt it') });
      expect(readFileSync(settings, 'utf8')).toBe(settingsBefore);
      const { status, stderr } = restore();
      expect({ status, stderr }).toEqual({ status: 0, stderr: expect.any(String) });
      configure(settings);
      runStack('start');
    });
    await expect.poll(() => existsSync(join(mailServer.data, 'mail/.restored'))).toBe(false);
    expect(unusableIn(join(mailServer.data, 'mail'))).toEqual([]);
    expect({ ann: await contentOf(at('ann')), bo: await contentOf(at('bo')) }).toEqual(before);
    await expectUsable(at('ann'));
    expect(readFileSync(TLS_KEY, 'utf8')).toBe(keyBefore);
    expect(redis('GET', 'learned')).toBe('spam');
    expect(readFileSync(custom, 'utf8')).toBe('# Ours.\n');
    expect(readFileSync(join(mailServer.config, 'dovecot/custom.conf'), 'utf8')).toContain('# Ours.\n');
    rmSync(custom);
    configure(settings);
    const next = await openLmtp();
    await next(at('bo'), 'Filed by the script of its owner.');
    expect((await contentOf(at('bo'))).Sorted).toHaveLength(1);
  });

  it('is not restored over mail that is there, or with another key', () => {
    writeFileSync(keyFile, `${KEY}\n`);
    if (!existsSync(repository)) cpSync(REPOSITORY, repository, { recursive: true });
    mkdirSync(join(folder, 'data/mail/a.example'), { recursive: true });
    const other = join(folder, 'settings');
    writeFileSync(other, `HOSTNAME=${mailServer.settings.HOSTNAME}\nDATA_DIR=${folder}/data\n`);
    expect(restoreServer(keyFile, repository, other)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("isn't empty. Move it away"),
    });
    writeFileSync(keyFile, 'AGE-SECRET-KEY-1ANOTHER\n');
    expect(restoreServer(keyFile, repository, other)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("can't be opened. Nothing was changed."),
    });
  });
});
