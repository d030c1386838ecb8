import { readFile } from 'node:fs/promises';
import path from 'node:path';
import nodemailer from 'nodemailer';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { dataDir, db } from '@/test/database';
import { makeAdmin, makeApiKey, makeDomain, unique } from '@/test/factories';
import { startScriptedMta } from '@/test/servers/scripted-mta';
import { setSettings } from '@/test/settings';
import { freePort } from '../../../../scripts/process/free-port.mjs';
import { startSandboxSmtp } from './sandbox-smtp';

const mta = await startScriptedMta();
const port = await freePort();
setSettings({ SANDBOX_SMTP_PORT: String(port) });
const end = await startSandboxSmtp();
afterAll(async () => {
  await end();
  await mta.server.close();
});

const { key } = await makeApiKey((await makeAdmin()).id);
let domain: { id: string; name: string };
beforeEach(async () => {
  domain = await makeDomain();
});

/** Sends a message to the sandbox by SMTP. @returns the reply */
async function send(messageId: string): Promise<string> {
  const ca = await readFile(path.join(dataDir, 'sandbox/tls/tls-certificate.pem'), 'utf8');
  const client = nodemailer.createTransport({
    host: '127.0.0.1',
    port,
    requireTLS: true,
    tls: { ca },
    auth: { user: 'apikey', pass: key },
  });
  const mail = { from: `shop@${domain.name}`, to: 'ann@far.example', subject: 'Hello', text: 'Hi', messageId };
  return client
    .sendMail(mail)
    .then(({ response }) => response)
    .catch((error) => error.response ?? Promise.reject(error))
    .finally(() => client.close());
}

const messages = () => db.message.findMany({ where: { domainId: domain.id }, select: { status: true } });

it('a message that may have been sent is refused permanently, also when the client sends it again', async () => {
  const messageId = `<${unique()}@${domain.name}>`;
  mta.state.script = (point) => (point === 'DOT' ? 'drop' : undefined);
  for (const _ of ['first', 'again']) expect(await send(messageId)).toMatch(/^554 5\.0\.0 .*may have been sent/);
  expect(await messages()).toEqual([{ status: 'uncertain' }]);
});

it('a message that the mail server refused is refused permanently, and its Message-ID stays taken', async () => {
  const messageId = `<${unique()}@${domain.name}>`;
  mta.state.script = (point) => (point === 'DOT' ? { say: '452 4.3.1 Insufficient system storage\r\n' } : undefined);
  expect(await send(messageId)).toMatch(/^554 5\.0\.0 The mail server did not accept the message/);
  mta.state.script = () => undefined;
  expect(await send(messageId)).toMatch(/^554 5\.7\.1 Another message has this Message-ID/);
  expect(await messages()).toEqual([{ status: 'failed' }]);
  expect(await send(`<${unique()}@${domain.name}>`)).toMatch(/^250 /);
});

it('a message that another session is sending is to be tried again', async () => {
  const messageId = `<${unique()}@${domain.name}>`;
  const row = { messageId, domainId: domain.id, fromAddress: `shop@${domain.name}`, toAddresses: ['ann@far.example'] };
  await db.message.create({
    data: { ...row, direction: 'outbound', subject: 'Hello', sizeBytes: 1, status: 'submitting' },
  });
  expect(await send(messageId)).toMatch(/^451 /);
});
