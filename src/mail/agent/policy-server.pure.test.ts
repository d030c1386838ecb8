import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { type PolicyRequest, startPolicyServer } from './policy-server';

let path: string;
const onError = vi.fn();

beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'postroom-policy-'));
  path = join(folder, 'policy.sock');
  onError.mockClear();
  return () => rm(folder, { recursive: true });
});

async function start(decide: (request: PolicyRequest) => Promise<string>) {
  const server = await startPolicyServer(path, decide, onError);
  onTestFinished(server.close);
  return server;
}

async function open() {
  const socket = connect(path).setEncoding('latin1');
  await once(socket, 'connect');
  onTestFinished(() => void socket.destroy());
  let received = '';
  socket.on('data', (text) => {
    received += text;
  });
  return { socket, answers: () => received.split('\n\n').filter(Boolean) };
}

it('answers all requests of a connection in order, however they are split into packets', async () => {
  await start(async (request) => `REJECT ${request.get('sender')} ${request.get('queue_id')}`);
  const { socket, answers } = await open();
  socket.write('request=smtpd_access_policy\nsender=a=b@d.example\nqueue_id=1\n');
  socket.write('\nsender=c@d.example\nqueue_id=2\n\nsender=d@d.example\nqueue_id=3');
  await expect.poll(answers).toEqual(['action=REJECT a=b@d.example 1', 'action=REJECT c@d.example 2']);
  socket.write('\n\n');
  await expect.poll(answers).toHaveLength(3);
});

it('defers a message and reports the error if the decision fails', async () => {
  await start(async () => {
    throw new Error('the database is down');
  });
  const { socket, answers } = await open();
  socket.write('sender=a@d.example\n\n');
  await expect.poll(answers).toEqual([expect.stringMatching(/^action=DEFER 4\.3\.0 /)]);
  expect(onError).toHaveBeenCalledOnce();
});

it('keeps an action on one line of ASCII', async () => {
  await start(async () => '450 4.7.1 Käse\n\naction=OK');
  const { socket, answers } = await open();
  socket.write('sender=a@d.example\n\n');
  await expect.poll(answers).toEqual(['action=450 4.7.1 K?se??action=OK']);
});

it('closes a connection whose request is too long', async () => {
  await start(async () => 'DUNNO');
  const { socket, answers } = await open();
  socket.on('error', () => {});
  socket.write('x'.repeat(100_000));
  await once(socket, 'close');
  expect(answers()).toEqual([]);
});

it('starts despite the leftover socket of a killed process', async () => {
  await writeFile(path, '');
  await start(async () => 'DUNNO');
  const { socket, answers } = await open();
  socket.write('sender=a@d.example\n\n');
  await expect.poll(answers).toEqual(['action=DUNNO']);
});
