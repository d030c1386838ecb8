import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Redis } from 'ioredis';
import { expect, it, onTestFinished } from 'vitest';
import { uuidv7 } from '@/lib/uuid';
import { recordHeartbeat } from '@/modules/mail-server/requests';
import { db } from '@/test/database';
import { makeReceivingHere } from '@/test/dns-records';
import { makeDomain, makeMailbox, unique } from '@/test/factories';
import { makeRedis } from '@/test/servers/redis';
import type { AnswersSettings } from './answers';

const ANSWER_TIMEOUT_MS = 30_000;
const ANSWERED = 1;

it('Postfix gets its answers while the agent’s main thread is busy', async () => {
  const { settings, requestFor } = await startAnswers();
  const request = requestFor(unique());
  const shared = new Int32Array(new SharedArrayBuffer(4));
  const client = new Worker(CLIENT, { eval: true, workerData: { ...settings, request, shared } });
  await start(client);
  client.postMessage('ask');
  // Blocks this thread until the client has its answer.
  Atomics.wait(shared, 0, 0, ANSWER_TIMEOUT_MS);
  expect(Atomics.load(shared, 0)).toBe(ANSWERED);
});

it('alerts of mail by SMTP obey the saved settings', async () => {
  const { mailboxHourly } = await db.abuseThreshold.findFirstOrThrow();
  onTestFinished(async () => {
    await db.savedSetting.deleteMany();
    await db.abuseThreshold.updateMany({ data: { mailboxHourly } });
  });
  await db.abuseThreshold.updateMany({ data: { mailboxHourly: 1 } });
  await save('ALERT_WEBHOOK_KINDS', 'dns_broken');
  const { domain, ask } = await startAnswers();
  expect(await ask(unique())).toBe('action=DUNNO');
  expect(await ask(unique())).toMatch(/^action=450 .* The mailbox is suspended/);
  expect(await db.alert.count({ where: { domainId: domain.id, kind: 'mailbox_suspended' } })).toBe(1);
  expect(await db.event.count({ where: { domainId: domain.id, type: 'system.alert' } })).toBe(0);
});

it('mail by SMTP keeps its sender soon after SUBMISSION_BOUNCE_ADDRESSES=false is saved', async () => {
  const server = await makeRedis();
  await server.start();
  const password = unique();
  await server.setPassword(password);
  const redis = new Redis(server.url, { password });
  onTestFinished(() => redis.disconnect());
  onTestFinished(async () => void (await db.savedSetting.deleteMany()));
  const { domain, ask } = await startAnswers({ port: Number(new URL(server.url).port), password });
  await makeReceivingHere(domain);
  await recordHeartbeat(db, { host: 'mail.shop.example', instance: uuidv7(), version: '1' }, null);
  const senderFor = async (queueId: string) => {
    expect(await ask(queueId)).toBe('action=DUNNO');
    return redis.get(`postroom:sender:${queueId}`);
  };
  await expect.poll(() => senderFor(unique())).toMatch(/^bounces\+/);
  await save('SUBMISSION_BOUNCE_ADDRESSES', 'false');
  await expect.poll(() => senderFor(unique()), { interval: 500 }).toBeNull();
});

function save(key: string, value: string) {
  const by = { updatedAt: new Date(), updatedById: randomUUID(), updatedByEmail: 'ops@a.example' };
  return db.savedSetting.create({ data: { key, value, ...by } });
}

/** Starts the thread, with a domain that has the mailbox `ann`. `ask` asks what Postfix asks at the end of a message of hers. */
async function startAnswers(redis = { port: 1, password: unique() }) {
  const folder = await mkdtemp(join(tmpdir(), 'agent-answers-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const domain = await makeDomain();
  await makeMailbox(domain.id, 'ann', { createdAt: new Date(0) });
  const settings: AnswersSettings = {
    policySocket: join(folder, 'policy.sock'),
    signIns: { port: 0, key: unique() },
    filters: { port: 0, uid: 0 },
    redis,
  };
  await start(new Worker(new URL('./answers.ts', import.meta.url), { workerData: settings }));
  const address = `ann@${domain.name}`;
  const session = `sasl_username=${address}\nsender=${address}\ninstance=${process.pid.toString(16)}.1`;
  const requestFor = (queueId: string) => `protocol_state=END-OF-MESSAGE\nqueue_id=${queueId}\n${session}\n\n`;
  const ask = async (queueId: string) => {
    const socket = connect(settings.policySocket);
    socket.write(requestFor(queueId));
    const [answer] = await once(socket, 'data');
    socket.destroy();
    return String(answer).trim();
  };
  return { domain, settings, requestFor, ask };
}

async function start(worker: Worker): Promise<void> {
  onTestFinished(async () => void (await worker.terminate()));
  await new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

/** Asks Postfix's question once it gets a message. */
const CLIENT = `
  const { parentPort, workerData } = require('node:worker_threads');
  const socket = require('node:net').connect(workerData.policySocket);
  socket.once('connect', () => parentPort.postMessage('connected'));
  parentPort.once('message', () => socket.write(workerData.request));
  socket.on('data', (data) => {
    if (String(data) !== 'action=DUNNO\\n\\n') return;
    Atomics.store(workerData.shared, 0, ${ANSWERED});
    Atomics.notify(workerData.shared, 0);
  });
`;
