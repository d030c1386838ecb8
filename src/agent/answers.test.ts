import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';
import { makeDomain, makeMailbox, unique } from '@/test/factories';
import type { AnswersSettings } from './answers';

const ANSWER_TIMEOUT_MS = 30_000;
const ANSWERED = 1;

it('Postfix gets its answers while the agent’s main thread is busy', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agent-answers-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const before = { createdAt: new Date(0) };
  const domain = await makeDomain();
  await makeMailbox(domain.id, 'ann', before);
  const settings: AnswersSettings = {
    policySocket: join(folder, 'policy.sock'),
    signIns: { port: 0, key: unique() },
    filters: { port: 0, uid: 0 },
    redis: { port: 1, password: unique() },
  };
  await start(new Worker(new URL('./answers.ts', import.meta.url), { workerData: settings }));

  const session = `sasl_username=ann@${domain.name}\ninstance=${process.pid.toString(16)}.1`;
  const request = `protocol_state=END-OF-MESSAGE\nqueue_id=${unique()}\n${session}\n\n`;
  const shared = new Int32Array(new SharedArrayBuffer(4));
  const client = new Worker(CLIENT, { eval: true, workerData: { ...settings, request, shared } });
  await start(client);
  client.postMessage('ask');
  // Blocks this thread until the client has its answer.
  Atomics.wait(shared, 0, 0, ANSWER_TIMEOUT_MS);
  expect(Atomics.load(shared, 0)).toBe(ANSWERED);
});

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
