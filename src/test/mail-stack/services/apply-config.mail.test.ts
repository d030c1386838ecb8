import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { MAIL_SERVICES } from '@/lib/mail/operations';
import { readInstallation } from '@/mail/agent/installation';
import { createPerform } from '@/mail/agent/operations/perform';
import { createServiceControl, DEPLOY } from '@/mail/agent/services/control';
import { activateKey, redis } from '../support/dkim-keys';
import { mailServer, portOf } from '../support/mail-server';
import { ALL_RUNNING, operate, processOf, services, statesOf, textOf } from '../support/operations';
import { changeSettings, driftedFiles, readConfig, resetSettings } from '../support/settings';
import { at, domain, receive, remoteAddress, submit, traceMail, waitForEvents } from '../support/traced-mail';
import { openWire } from '../support/wire';

await traceMail();

const OPERATION_TIMEOUT_MS = 240_000;
const EXTRA = 'rspamd/local.d/actions.conf';
/** Settings with which the certificate comes from an ACME server. */
const ACME = {
  ACME_EMAIL: 'admin@example.test',
  ACME_SERVER: 'https://127.0.0.1:1/directory',
  TLS_CERTIFICATE: '',
  TLS_KEY: '',
};
const apply = (more: object = {}) => operate({ action: 'apply_config', ...more });

/** @param message what the operation must say, if it matters */
async function applySuccessfully(message: unknown = expect.anything()): Promise<void> {
  const operation = await apply();
  expect(operation, textOf(operation)).toMatchObject({ state: 'succeeded', message });
}

beforeEach(() => activateKey(domain.name, 'first'));

afterEach(async () => {
  rmSync(join(mailServer.config, EXTRA), { force: true });
  resetSettings();
  if ((await driftedFiles()).length > 0) await applySuccessfully();
  expect(existsSync(join(mailServer.config, '.operation'))).toBe(false);
}, OPERATION_TIMEOUT_MS);

/** The largest message that port 25 announces. */
async function announcedSize(): Promise<number> {
  const wire = await openWire(portOf('SMTP_PORT'), false);
  await wire.readUntil(/^220 .*\r\n/m);
  wire.write('EHLO client.example\r\n');
  const reply = await wire.readUntil(/^250 .*\r\n/m);
  wire.close();
  return Number(/SIZE (\d+)/.exec(reply)?.[1]);
}

async function expectMailToFlow(): Promise<void> {
  // Mail is to be tried later while the agent restarts.
  const eventually = (send: () => Promise<string>) =>
    expect.poll(() => send().catch(() => ''), { timeout: 120_000, interval: 1_000 }).toMatch(/^250 /);
  await eventually(() => receive([at('ann')]));
  await waitForEvents('mail.received', 1);
  await eventually(() => submit([remoteAddress()]));
  await waitForEvents('mail.delivered', 1);
  await expect.poll(statesOf).toEqual(ALL_RUNNING);
}

describe('applying changed settings', () => {
  it('changes nothing if every file is as generated', async () => {
    const before = MAIL_SERVICES.map(processOf);
    await applySuccessfully('Every file is as the settings generate it. Nothing was changed.');
    expect(MAIL_SERVICES.map(processOf)).toEqual(before);
  });

  it('shows the difference in a dry run, without secrets, and what the checkers say', async () => {
    const before = MAIL_SERVICES.map(processOf);
    changeSettings({
      MESSAGE_SIZE_MB: '90',
      REDIS_PASSWORD: 'another-redis-password-1',
      REDIS_MEMORY_MB: '300',
      ...ACME,
    });
    const operation = await apply({ dry_run: true });
    expect(operation).toMatchObject({ state: 'succeeded', message: expect.stringContaining('Nothing was changed.') });
    expect(operation.message).toContain('restart Redis');
    expect(operation.message).toContain('reload Postfix');
    const text = textOf(operation);
    expect(text).toContain('-message_size_limit = 104857600');
    expect(text).toContain('+message_size_limit = 94371840');
    expect(text).toContain('+maxmemory 300mb');
    // With ACME, Dovecot accepts the configuration because a certificate to start with was made.
    for (const checker of ['postconf', 'postfix check', 'doveconf', 'rspamadm configtest'])
      expect(text).toContain(`${checker}: no errors`);
    const { REDIS_PASSWORD, APP_PASSWORD, DATABASE } = mailServer.settings;
    const password = new URL(DATABASE ?? '').password;
    const own = /AGENT_KEY=(\w+)/.exec(readConfig('environment'))?.[1];
    for (const secret of ['another-redis-password-1', REDIS_PASSWORD, APP_PASSWORD, password, own])
      expect(text).not.toContain(secret);
    expect(await driftedFiles()).toEqual([]);
    expect(MAIL_SERVICES.map(processOf)).toEqual(before);
  });

  it(
    'reloads what changed, restarts a service or the agent that reads its settings only at start, and mail flows',
    async () => {
      const before = MAIL_SERVICES.map(processOf);
      changeSettings({ MESSAGE_SIZE_MB: '90' });
      await applySuccessfully('Changed 1 file.');
      await expect.poll(announcedSize).toBe(90 * 1024 * 1024);
      expect(MAIL_SERVICES.map(processOf)).toEqual(before);
      await expectMailToFlow();
      changeSettings({ MESSAGE_SIZE_MB: '90', REDIS_MEMORY_MB: '300', REDIS_PASSWORD: 'another-redis-password-1' });
      await applySuccessfully(expect.stringContaining('The mail agent restarts'));
      expect(processOf('redis')).not.toBe(before[MAIL_SERVICES.indexOf('redis')]);
      await expectMailToFlow();
      resetSettings();
      await applySuccessfully();
      await expectMailToFlow();
    },
    2 * OPERATION_TIMEOUT_MS,
  );

  it('puts back a file that was edited or deleted, and leaves one that is not generated', async () => {
    // Not with an entry twice, of which postlogd would warn itself, and hang.
    const main = readConfig('postfix/main.cf').replace('biff = no', 'biff = yes');
    writeFileSync(join(mailServer.config, 'postfix/main.cf'), main);
    chmodSync(join(mailServer.config, 'dovecot/sql.conf'), 0o644);
    rmSync(join(mailServer.config, 'rspamd/local.d/redis.conf'));
    writeFileSync(join(mailServer.config, EXTRA), '# Ours.\n');
    const drifted = [
      'changed dovecot/sql.conf',
      'changed postfix/main.cf',
      `extra ${EXTRA}`,
      'missing rspamd/local.d/redis.conf',
    ];
    expect(await driftedFiles()).toEqual(drifted);
    // After an operation, the agent compares the files at once.
    expect(await operate({ action: 'restart', dry_run: true })).toMatchObject({ state: 'succeeded' });
    const inApi = async () =>
      (await services()).flatMap(({ drift }) => drift ?? []).map(({ kind, path }) => `${kind} ${path}`);
    await expect.poll(async () => (await inApi()).toSorted()).toEqual(drifted);
    await applySuccessfully('Changed 3 files.');
    expect(await driftedFiles()).toEqual([`extra ${EXTRA}`]);
  });
});

describe('settings that can’t work', () => {
  const REFUSED: [string, Record<string, string>, string][] = [
    ['has an error', { HOSTNAME: 'mail' }, 'HOSTNAME must be a full host name'],
    ['would leave the mail behind', { DATA_DIR: '/var/lib/elsewhere' }, 'DATA_DIR is'],
    [
      'names a database that refuses the role',
      { DATABASE: 'postgresql://mta_read:wrong-password@127.0.0.1:1/postroom' },
      'can’t use DATABASE',
    ],
  ];

  it.each(REFUSED)('are refused and change nothing: one that %s', async (_, values, reason) => {
    changeSettings(values);
    const operation = await apply();
    expect(operation).toMatchObject({ state: 'failed', message: expect.stringContaining(reason) });
    expect(operation.message).toMatch(/Nothing was changed\.$/);
    expect(await driftedFiles()).toEqual([]);
    expect(existsSync('/var/lib/elsewhere')).toBe(false);
  });

  it('are refused by a service’s own checker, which reads files that are not generated too', async () => {
    changeSettings({ MESSAGE_SIZE_MB: '90' });
    writeFileSync(join(mailServer.config, EXTRA), 'section {\n');
    const operation = await apply();
    expect(operation).toMatchObject({
      state: 'failed',
      message: 'rspamadm configtest refuses the new configuration. Nothing was changed.',
    });
    expect(await driftedFiles()).toEqual([`extra ${EXTRA}`]);
  });

  it.each([
    ['postfix/main.cf', 'a = {{no_such_setting}}', 'uses {{no_such_setting}}, which no setting defines'],
    ['postfix/master.cf', 'smtp inet n', 'postconf refuses the new configuration.'],
  ])('are refused if the template of %s has the line %s', async (path, line, reason) => {
    const deploy = mkdtempSync(join(tmpdir(), 'postroom-templates-'));
    onTestFinished(() => rmSync(deploy, { recursive: true }));
    cpSync(DEPLOY, deploy, { recursive: true });
    appendFileSync(join(deploy, 'templates', path), `${line}\n`);
    const read = () => readInstallation(mailServer.config);
    const rebuild = {
      unsealPassword: (sealed: string) => sealed,
      rebuildKeys: async () => 0,
      renewCertificate: async () => '',
    };
    const parts = { read, control: createServiceControl(read), secrets: [], ...rebuild };
    const perform = createPerform({ ...parts, deploy });
    const operation = { id: randomUUID(), action: 'apply_config', service: null, dryRun: false, input: null } as const;
    const outcome = await perform(operation, { report: () => {}, signal: new AbortController().signal });
    expect(outcome).toMatchObject({ state: 'failed', message: expect.stringContaining(reason) });
    expect(await driftedFiles()).toEqual([]);
  });

  it(
    'are rolled back if a service doesn’t respond with them, and mail flows afterwards',
    async () => {
      const silent = createServer().listen(0, '127.0.0.1');
      await once(silent, 'listening');
      const { port } = silent.address() as { port: number };
      changeSettings({ SMTP_PORT: String(port), MESSAGE_SIZE_MB: '90' });
      const operation = await apply();
      silent.close();
      expect(operation).toMatchObject({
        state: 'rolled_back',
        message: expect.stringContaining('Postfix didn’t respond with the new configuration.'),
      });
      expect(await driftedFiles()).toEqual([]);
      await expectMailToFlow();
    },
    OPERATION_TIMEOUT_MS,
  );
});

it(
  'rebuilding maps replaces a damaged DKIM key, deletes compiled filters, and leaves mail flowing',
  async () => {
    await expectMailToFlow();
    const home = readdirSync(join(mailServer.data, 'mail', domain.name, 'ann'))[0] ?? '';
    const compiled = join(mailServer.data, 'mail', domain.name, 'ann', home, '.filters');
    mkdirSync(compiled, { recursive: true });
    writeFileSync(join(compiled, 'old.svbin'), 'compiled by another version');
    // As Dovecot makes them.
    const uid = readInstallation(mailServer.config).filters.uid;
    for (const path of [compiled, join(compiled, 'old.svbin')]) chownSync(path, uid, uid);
    const key = ['dkim_keys', `first.${domain.name}`] as const;
    const stored = await redis.hget(...key);
    expect(stored).toMatch(/./);
    await redis.hset(...key, 'damaged');
    const operation = await operate({ action: 'rebuild_maps' });
    expect(await redis.hget(...key)).toBe(stored);
    expect(operation).toMatchObject({ state: 'succeeded', message: expect.stringMatching(/^Stored \d+ DKIM keys?, /) });
    expect(existsSync(join(compiled, 'old.svbin'))).toBe(false);
    await expectMailToFlow();
  },
  OPERATION_TIMEOUT_MS,
);
