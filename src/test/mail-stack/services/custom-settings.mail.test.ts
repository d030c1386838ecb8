import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { readInstallation } from '@/mail/agent/installation';
import { DEPLOY } from '@/mail/agent/services/control';
import { mailServer } from '../support/mail-server';
import { ALL_RUNNING, operate, services, statesOf, textOf } from '../support/operations';
import { driftedFiles, readConfig } from '../support/settings';

const OPERATION_TIMEOUT_MS = 240_000;
const { config, data, settings } = readInstallation(mailServer.config);
const folder = join(config, 'custom');
const apply = () => operate({ action: 'apply_config' });
const own = (name: string, text: string) => writeFileSync(join(folder, name), text);
const inUse = async () => (await services()).flatMap(({ custom }) => custom);

function print(file: string, ...args: string[]): string {
  const { stdout, stderr } = spawnSync(file, args, { encoding: 'utf8' });
  return `${stdout}${stderr}`.replace(/[ \t]+/g, ' ');
}

const rspamd = Object.entries({
  LOCAL_CONFDIR: 'rspamd',
  DBDIR: 'rspamd',
  RUNDIR: 'run/rspamd',
  LOGDIR: 'log/rspamd',
}).map(([name, path]) => `--var=${name}=${join(name === 'LOCAL_CONFDIR' ? config : data, path)}`);

/** Settings that a service accepts, with a command that prints what it makes of them, and text that its checker refuses. */
const SNIPPETS: [name: string, good: string, inEffect: () => string, wanted: RegExp, bad: string, checker: string][] = [
  [
    'postfix-main',
    'delay_warning_time = 7h\nsmtpd_banner = $myhostname\n  ESMTP ours\n',
    () => print('postconf', '-c', join(config, 'postfix'), 'delay_warning_time', 'smtpd_banner'),
    /^delay_warning_time = 7h\nsmtpd_banner = \$myhostname ESMTP ours\n$/,
    'no equals sign\n',
    'postconf',
  ],
  [
    'postfix-master',
    'anvil unix - - n - 2 anvil\nours unix - - n - 1 pipe\n  user=nobody argv=/bin/true\n',
    () => print('postconf', '-c', join(config, 'postfix'), '-M', 'anvil/unix', 'ours/unix'),
    /^anvil unix - - n - 2 anvil\nours unix - - n - 1 pipe user=nobody argv=\/bin\/true\n$/,
    'smtp inet n\n',
    'postconf',
  ],
  [
    'dovecot',
    'mail_max_userip_connections = 41\n',
    () => print('doveconf', '-c', join(config, 'dovecot/dovecot.conf'), '-h', 'mail_max_userip_connections'),
    /^41\n$/,
    'service {\n',
    'doveconf',
  ],
  [
    'rspamd',
    'actions {\n  reject = 17;\n}\n',
    () => print('rspamadm', ...rspamd, 'configdump', '-c', '/etc/rspamd/rspamd.conf', 'actions'),
    /\breject = 17(\.0+)?;/,
    'section {\n',
    'rspamadm configtest',
  ],
];

beforeEach(() => mkdirSync(folder, { recursive: true }));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('own settings', () => {
  it(
    'take effect once they are applied, and are shown, but not as drift',
    async () => {
      for (const [name, text] of SNIPPETS) own(name, text);
      expect(await driftedFiles()).toEqual([
        'changed dovecot/custom.conf',
        'changed postfix/main.cf',
        'changed postfix/master.cf',
        'changed rspamd/custom.conf',
      ]);
      expect(await apply()).toMatchObject({ state: 'succeeded', message: 'Changed 4 files.' });
      for (const [name, , inEffect, wanted] of SNIPPETS) expect(inEffect(), name).toMatch(wanted);
      expect(await driftedFiles()).toEqual([]);
      await expect.poll(inUse).toEqual(['postfix-main', 'postfix-master', 'dovecot', 'rspamd']);
      await expect.poll(async () => (await services()).flatMap(({ drift }) => drift)).toEqual([]);
      await expect.poll(statesOf).toEqual(ALL_RUNNING);
    },
    OPERATION_TIMEOUT_MS,
  );

  it.each(SNIPPETS)(
    'that a checker refuses change nothing: %s',
    async (name, good, inEffect, wanted, bad, checker) => {
      const before = [
        readConfig('postfix/main.cf'),
        readConfig('dovecot/custom.conf'),
        readConfig('rspamd/custom.conf'),
      ];
      own(name, bad);
      const operation = await apply();
      expect(operation).toMatchObject({
        state: 'failed',
        message: `${checker} refuses the new configuration. Nothing was changed.`,
      });
      expect(textOf(operation)).toContain(config);
      const installed = spawnSync(process.execPath, [join(DEPLOY, 'check-custom.mjs'), settings, config], {
        encoding: 'utf8',
      });
      expect(installed).toMatchObject({
        status: 1,
        stderr: expect.stringContaining(`${checker} refuses the new configuration`),
      });
      own(name, good);
      expect(inEffect()).toMatch(wanted);
      expect([
        readConfig('postfix/main.cf'),
        readConfig('dovecot/custom.conf'),
        readConfig('rspamd/custom.conf'),
      ]).toEqual(before);
      expect(await driftedFiles()).toEqual([]);
    },
    OPERATION_TIMEOUT_MS,
  );

  it('in a file of another name are refused', async () => {
    own('postfix', 'a = b\n');
    expect(await apply()).toMatchObject({
      state: 'failed',
      message: expect.stringContaining("custom/postfix isn't one of"),
    });
    rmSync(join(folder, 'postfix'));
  });

  it(
    'that are deleted are no longer in use',
    async () => {
      rmSync(folder, { recursive: true });
      expect(await apply()).toMatchObject({ state: 'succeeded', message: 'Changed 4 files.' });
      expect(print('postconf', '-c', join(config, 'postfix'), '-h', 'delay_warning_time')).toBe('4h\n');
      expect(await driftedFiles()).toEqual([]);
      await expect.poll(inUse).toEqual([]);
    },
    OPERATION_TIMEOUT_MS,
  );
});
