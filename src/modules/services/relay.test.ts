import { describe, expect, it, onTestFinished } from 'vitest';
import { type RelayInput, type RelaySettings, relayPasswordPlace } from '@/lib/mail/operations';
import type { AgentHandlers, ShownRelay } from '@/mail/agent/requests';
import { recordRelay } from '@/modules/mail-server/requests';
import { systemClock } from '@/server/clock';
import { unseal } from '@/server/secrets/sealing';
import { db } from '@/test/database';
import { startAgent } from '@/test/mail/agent';
import { expectError, keyClient } from '@/test/rest';
import { setSettings } from '@/test/settings';
import { type ClaimedOperation, claimOperation, finishOperation } from './lease';

setSettings({ RELAY_SPF: '_spf.relay.example' });

const HOST = 'mail.example.test';
const RELAY: ShownRelay = {
  destination: '[smtp.relay.example]:587',
  user: 'key-7',
  tls: 'encrypt',
  isTlsFromStart: false,
};
const RESULT = {
  outcome: 'credentials',
  message: 'smtp.relay.example rejects the user or the password.',
  lines: [{ kind: 'received', text: '535 5.7.8 No' }],
} as const;

const api = await keyClient();
const lastEntry = () => db.auditEntry.findFirst({ where: { resource: 'relay' }, orderBy: { id: 'desc' } });

async function attach(test: AgentHandlers['relay.test']) {
  onTestFinished(await startAgent(db, { 'relay.test': test }));
}

describe('the relay of a mail server', () => {
  it('is shown while the mail server is attached and uses one', async () => {
    const relays = async () => (await api.get('/orchestrator')).data.relays;
    const end = await startAgent(db, {});
    expect(await relays()).toEqual([]);
    await recordRelay(db, HOST, RELAY);
    const shown = { destination: RELAY.destination, user: 'key-7', tls: 'encrypt', tls_from_start: false };
    expect(await relays()).toEqual([{ host: HOST, ...shown, spf: '_spf.relay.example' }]);
    await recordRelay(db, HOST, { ...RELAY, user: '' });
    expect(await relays()).toMatchObject([{ user: null }]);
    await recordRelay(db, HOST, null);
    expect(await relays()).toEqual([]);
    await recordRelay(db, HOST, RELAY);
    await end();
    expect(await relays()).toEqual([]);
  });
});

describe('POST /orchestrator/relay', () => {
  const relay = { destination: RELAY.destination, user: 'key-7', password: 'SG.a/b+c=d:e#f', tls: 'secure' };
  const set = (body: object) => api.post('/orchestrator/relay', body);

  it('leaves the relay to the mail agent, with the password sealed until the operation is finished', async () => {
    await attach(async () => ({ host: HOST, result: null }));
    const { host } = await db.mailAgent.findFirstOrThrow();
    const { status, data } = await set({ relay });
    expect(status).toBe(202);
    expect(data).toMatchObject({ action: 'set_relay', host, input: null, state: 'queued' });
    const claimed = (await claimOperation(db, host, 'services')) as ClaimedOperation;
    const { password, ...shown } = relay;
    expect(claimed).toMatchObject({ id: data.id, input: { relay: shown } });
    const sealed = String((claimed.input as RelayInput).password);
    const unsealFor = (changed: Partial<RelaySettings>) =>
      unseal(relayPasswordPlace(host, { ...(shown as RelaySettings), ...changed }), Buffer.from(sealed, 'base64'));
    expect(unsealFor({})).toBe(password);
    for (const changed of [{ destination: '[192.0.2.9]:25' }, { user: 'other' }, { tls: 'may' }] as const)
      expect(() => unsealFor(changed)).toThrow();
    const outcome = { state: 'succeeded', message: 'Changed 2 files.' } as const;
    expect(await finishOperation(db, systemClock, claimed, outcome)).toBe(true);
    expect((await db.operation.findUniqueOrThrow({ where: { id: data.id } })).input).toEqual({ relay: shown });
    const entries = await db.auditEntry.findMany({ where: { resource: `operation:${data.id}` } });
    expect(entries.map(({ action }) => action).toSorted()).toEqual(['operation.create', 'operation.finish']);
    for (const secret of [password, sealed]) expect(JSON.stringify(entries)).not.toContain(secret);
    expect(entries.find(({ action }) => action === 'operation.create')?.details).toMatchObject({
      after: { relay: shown },
    });
  });

  it.each([
    [{ destination: 'smtp.far.example\nsmtpd_relay_restrictions=permit' }, 'relay.destination'],
    [{ ...relay, user: 'a b' }, 'relay.user'],
    [{ ...relay, user: undefined }, 'relay.user'],
    [{ ...relay, password: 'p\nRELAY_TLS=may' }, 'relay.password'],
    [{ ...relay, tls: 'may' }, 'relay.tls'],
    [{ ...relay, password: '"quoted' }, 'relay.password'],
    [{ ...relay, password: 'ends\\' }, 'relay.password'],
    [{ ...relay, user: "'quoted" }, 'relay.user'],
    [{ destination: '[smtp.relay.example]:465', tls: 'may' }, 'relay.tls'],
  ])('rejects %j', async (given, path) => {
    const { error } = expectError(await set({ relay: given }), 400, 'VALIDATION_ERROR');
    expect(error.details?.fields).toEqual([{ path, message: expect.any(String) }]);
  });

  it('keeps the password of the same server and user only', async () => {
    await attach(async () => ({ host: HOST, result: null }));
    const { host } = await db.mailAgent.findFirstOrThrow();
    await recordRelay(db, host, { ...RELAY, tls: 'secure' });
    const same = { destination: RELAY.destination, user: 'key-7', tls: 'secure' };
    const others = [
      { destination: '[evil.example]:587' },
      { destination: '[smtp.relay.example]:2587' },
      { user: 'bob' },
    ];
    for (const change of [...others, { tls: 'encrypt' }, { tls: undefined }]) {
      const { error } = expectError(await set({ relay: { ...same, ...change } }), 400, 'VALIDATION_ERROR');
      expect(error.details?.fields).toMatchObject([{ path: 'relay.password' }]);
    }
    expect((await set({ relay: same })).status).toBe(202);
  });

  it('answers 503 without a mail server, and is for super admins', async () => {
    expectError(await set({ relay: null }), 503, 'MAIL_STACK_UNAVAILABLE');
    const admin = await keyClient({ role: 'admin' });
    expectError(await admin.post('/orchestrator/relay', { relay: null }), 403, 'FORBIDDEN');
  });
});

describe('POST /orchestrator/relay/test', () => {
  const test = (body: object = {}) => api.post('/orchestrator/relay/test', body);

  it('returns what the agent found, and audits who asked', async () => {
    const asked: unknown[] = [];
    await attach(async (mail) => {
      asked.push(mail);
      return { host: HOST, result: { ...RESULT, lines: [...RESULT.lines] } };
    });
    const mail = { from: 'ann@here.example', to: 'bo@far.example' };
    const { status, data } = await test(mail);
    expect([status, data]).toEqual([200, { host: HOST, ...RESULT }]);
    expect(asked).toEqual([mail]);
    expect(await lastEntry()).toMatchObject({
      action: 'relay.test',
      outcome: 'success',
      adminId: api.admin.id,
      details: { host: HOST, ...mail, outcome: 'credentials', message: RESULT.message },
    });
  });

  it('is refused without a relay', async () => {
    await attach(async () => ({ host: HOST, result: null }));
    expectError(await test(), 409, 'CONFLICT');
    expect(await lastEntry()).toMatchObject({ action: 'relay.test', outcome: 'denied' });
  });

  it('answers 503 without an agent, and if the agent fails', async () => {
    expectError(await test(), 503, 'MAIL_STACK_UNAVAILABLE');
    await attach(() => Promise.reject(new Error('the file of the relay can’t be read')));
    const failed = expectError(await test(), 503, 'MAIL_STACK_UNAVAILABLE');
    expect(failed.error.message).not.toContain('file of the relay');
    expect(await lastEntry()).toMatchObject({ action: 'relay.test', outcome: 'error' });
  });

  it.each([
    [{ to: 'bo@far.example' }, 'from'],
    [{ from: 'ann@here.example> SIZE=1' }, 'from'],
    [{ from: 'ann@here.example\r\nDATA' }, 'from'],
    [{ from: 'ann@here.example', to: 'bo' }, 'to'],
  ])('rejects %j before the agent is asked', async (body, path) => {
    const { error } = expectError(await test(body), 400, 'VALIDATION_ERROR');
    expect(error.details?.fields).toEqual([{ path, message: expect.any(String) }]);
  });

  it('is for super admins', async () => {
    const admin = await keyClient({ role: 'admin' });
    expectError(await admin.post('/orchestrator/relay/test', {}), 403, 'FORBIDDEN');
  });
});
