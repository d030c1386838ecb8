import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { askAgent } from '@/modules/mail-server/service';
import { startSmtpServer } from '../../servers/smtp-server';
import { activateKey } from '../support/dkim-keys';
import { db, retryQueue } from '../support/mail-server';
import { finished, operate, textOf } from '../support/operations';
import { changeSettings, readConfig, readSettings, resetSettings, writeSettings } from '../support/settings';
import { api, domain, remoteAddress, submit, traceMail, waitForEvents, webhookEvents } from '../support/traced-mail';

await traceMail();

const OPERATION_TIMEOUT_MS = 240_000;
const [USER, PASSWORD] = ['key-7', 'SG.a/b+c=d:e#f'];
const WITHIN = { timeout: 30_000 };
// Health is checked every 30 seconds, and the relay is down from the second failure on.
const WITHIN_CHECKS = { timeout: 90_000 };
const relayHealth = () =>
  db.healthCheck.findFirst({ where: { name: 'relay' }, select: { status: true, message: true } });
const apply = () => operate({ action: 'apply_config' });

/** Like a provider's server: it wants TLS and a password, and refuses some senders. */
const relay = await startSmtpServer({
  user: USER,
  password: PASSWORD,
  disabledCommands: [],
  onRecipient: (address) => {
    if (address.startsWith('refused')) return { code: 550, text: '5.7.1 Relaying denied' };
    return address.startsWith('nobody') ? { code: 550, text: '5.1.1 No such user here' } : undefined;
  },
});
afterAll(relay.close);

beforeEach(() => activateKey(domain.name, 'first'));
afterEach(async () => {
  resetSettings();
  expect(await apply()).toMatchObject({ state: 'succeeded' });
}, OPERATION_TIMEOUT_MS);

async function statusOf(address: string) {
  return (await db.messageRecipient.findFirst({ where: { address, message: { domainId: domain.id } } }))?.status;
}

async function useRelay(password: string): Promise<void> {
  const host = `[127.0.0.1]:${relay.port}`;
  changeSettings({ RELAY_HOST: host, RELAY_USER: USER, RELAY_PASSWORD: password });
  expect(await apply()).toMatchObject({ state: 'succeeded' });
}

async function setRelay(wanted: object | null) {
  let id = '';
  // A password stays if Postfix uses the same relay, which the agent reports every few seconds.
  const set = async () => {
    const { status, data } = await api.post('/orchestrator/relay', { relay: wanted });
    id = data?.id;
    return status;
  };
  await expect.poll(set, WITHIN).toBe(202);
  return finished(id);
}

describe('a relay that wants a password', () => {
  it(
    'gets all outbound mail over TLS, and what it says about a recipient counts',
    async () => {
      await useRelay(PASSWORD);
      const to = remoteAddress();
      expect(await submit([to, 'nobody@far.example'])).toMatch(/^250 /);
      await waitForEvents('mail.delivered', 1);
      expect((await waitForEvents('mail.bounced', 1))[0]?.data).toMatchObject({ recipient: 'nobody@far.example' });
      expect(relay.received).toMatchObject([{ rcptTo: [to], isTls: true, user: USER }]);
      expect(readConfig('postfix/main.cf')).not.toContain(PASSWORD);
      const { result } = await askAgent(db, 'relay.test', { from: `ann@${domain.name}`, to: 'nobody@far.example' });
      expect(result).toMatchObject({ outcome: 'recipient', message: expect.stringContaining('550 5.1.1') });
      expect(JSON.stringify(result)).not.toContain(PASSWORD);
      expect(relay.received).toHaveLength(1);
    },
    OPERATION_TIMEOUT_MS,
  );

  it(
    'and refuses this server makes mail wait, and bounces none',
    async () => {
      await useRelay('another-password');
      const [first, second] = [remoteAddress(), 'refused@far.example'];
      expect(await submit([first])).toMatch(/^250 /);
      await expect.poll(() => statusOf(first), WITHIN).toBe('deferred');
      const { result } = await askAgent(db, 'relay.test', {});
      expect(result).toMatchObject({ outcome: 'credentials', message: expect.stringContaining('RELAY_PASSWORD') });
      await expect.poll(relayHealth, WITHIN_CHECKS).toEqual({ status: 'down', message: result?.message });
      await useRelay(PASSWORD);
      await expect.poll(relayHealth, WITHIN_CHECKS).toEqual({ status: 'ok', message: '' });
      retryQueue();
      await waitForEvents('mail.delivered', 1);
      expect(await submit([second])).toMatch(/^250 /);
      await expect.poll(() => statusOf(second), WITHIN).toBe('deferred');
      const returned = (await webhookEvents()).filter(
        ({ event, data }) => /bounced|failed/.test(event) && !data.will_retry,
      );
      expect(returned).toEqual([]);
    },
    OPERATION_TIMEOUT_MS,
  );

  it(
    'is set and removed from the console, which keeps the rest of the settings file',
    async () => {
      const before = readSettings();
      const destination = `[127.0.0.1]:${relay.port}`;
      expect(await setRelay({ destination, user: USER, password: PASSWORD, tls: 'encrypt' })).toMatchObject({
        state: 'succeeded',
      });
      const to = remoteAddress();
      expect(await submit([to])).toMatch(/^250 /);
      await waitForEvents('mail.delivered', 1);
      expect(relay.received.at(-1)).toMatchObject({ rcptTo: [to], user: USER });
      // Without a password, the one of the settings file stays.
      const kept = await setRelay({ destination, user: USER, tls: 'encrypt' });
      expect(kept).toMatchObject({ state: 'succeeded', message: expect.stringContaining('Nothing was changed') });
      expect(textOf(kept)).not.toContain(PASSWORD);
      expect(await setRelay(null)).toMatchObject({ state: 'succeeded' });
      const without = readSettings();
      expect(without).not.toMatch(/^RELAY_/m);
      // The configuration can't be generated, and the former settings are back.
      const broken = `${without}NO_SUCH_SETTING=1\n`;
      writeSettings(broken);
      expect(await setRelay({ destination, user: USER, password: PASSWORD })).toMatchObject({
        state: 'failed',
        message: expect.stringMatching(/^Unknown setting NO_SUCH_SETTING .* Nothing was changed\.$/),
      });
      expect(readSettings()).toBe(broken);
      expect(without).toBe(`${before.replace(/^RELAY_.*\n/gm, '')}`);
      expect(readConfig('postfix/main.cf')).not.toContain(String(relay.port));
    },
    OPERATION_TIMEOUT_MS,
  );
});
