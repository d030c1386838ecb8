import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { beforeEach, describe, expect, it } from 'vitest';
import type { InboundPort } from '@/mail/inbound/port';
import { startSandboxInbound } from '@/mail/sandbox/inbound';
import { db } from '@/test/database';
import { makeDomain, makeMailbox } from '@/test/factories';
import { startInbound } from '@/test/mail/sandbox-inbound';
import { longestTurnMs } from '@/test/main-thread';
import { keyClient } from '@/test/rest';
import { mailServerCalls } from '../service';

const MB = 1024 * 1024;

const calls = mailServerCalls(db);
let failure: { [Step in keyof InboundPort]?: Error } = {};
const { dir, port, sendRaw } = await startInbound(
  {
    resolve: (address) => (failure.resolve ? Promise.reject(failure.resolve) : calls.resolve(address)),
    receive: (mail) => (failure.receive ? Promise.reject(failure.receive) : calls.receive(mail)),
  },
  { maxMessageBytes: 2 * MB },
);
const api = await keyClient();

let domain: { id: string; name: string };

beforeEach(async () => {
  failure = {};
  domain = await makeDomain();
  await makeMailbox(domain.id, 'ann');
});

async function rejectionOf(to: string): Promise<string> {
  const error = await sendRaw('Subject: x\r\n\r\nx', to).then(
    () => null,
    (cause) => cause,
  );
  return error?.response;
}

const listed = async (domainId = domain.id) => (await api.get(`/messages?domain_id=${domainId}`)).data;

describe('mail is rejected', () => {
  it('for an unknown address', async () => {
    expect(await rejectionOf(`nobody@${domain.name}`)).toBe('550 5.1.1 No such user');
  });

  it('for a domain that is not managed', async () => {
    expect(await rejectionOf('ann@elsewhere.example')).toBe('554 5.7.1 Relay access denied');
  });

  it('for an inactive domain', async () => {
    await db.domain.update({ where: { id: domain.id }, data: { active: false } });
    expect(await rejectionOf(`ann@${domain.name}`)).toMatch(/^550 5\.1\.2 /);
  });

  it('for an invalid address', async () => {
    expect(await rejectionOf(`ann%x@${domain.name}`)).toMatch(/^553 5\.1\.3 /);
  });

  it('over the size limit, and not recorded', async () => {
    const raw = `Subject: x\r\n\r\n${'y'.repeat(70)}\r\n`.repeat(40_000);
    await expect(sendRaw(raw, `ann@${domain.name}`)).rejects.toThrow(/552/);
    expect(await listed()).toEqual([]);
  });

  it('for one of two recipients, and accepted for the other', async () => {
    await sendRaw('Subject: x\r\n\r\nx', [`ann@${domain.name}`, `nobody@${domain.name}`]);
    expect(await listed()).toMatchObject([{ to: [`ann@${domain.name}`] }]);
  });
});

describe('while the database is unavailable', () => {
  it('a recipient is deferred with 451', async () => {
    failure = { resolve: new Error('connection refused to 10.0.0.1') };
    expect(await rejectionOf(`ann@${domain.name}`)).toBe('451 4.3.0 Temporary lookup failure');
  });

  it('a message is deferred with 451, leaves no files, and is accepted on retry', async () => {
    const before = await readdir(dir);
    failure = { receive: new Error('connection refused to 10.0.0.1') };
    await expect(sendRaw('Subject: x\r\n\r\nx', `ann@${domain.name}`)).rejects.toThrow(/451 4\.3\.0 Local error/);
    expect(await readdir(dir)).toEqual(before);
    failure = {};
    await sendRaw('Subject: x\r\n\r\nx', `ann@${domain.name}`);
    expect(await listed()).toHaveLength(1);
  });
});

describe('hostile mail', () => {
  const nested = Array.from(
    { length: 5000 },
    (_, depth) => `--b${depth}\r\nContent-Type: multipart/mixed; boundary=b${depth + 1}\r\n`,
  );
  it.each([
    ['no header', '\r\n\r\nx'],
    ['an empty message', ''],
    ['a header of 2 MB', `Subject: ${'x'.repeat(1_900_000)}\r\n\r\nx`],
    ['a header of 100,000 lines', `${'X-A: b\r\n'.repeat(100_000)}\r\nx`],
    ['100,000 addresses in From', `From: ${'a@b.example, '.repeat(100_000)}\r\n\r\nx`],
    ['brackets in From', `From: ${'<('.repeat(100_000)}\r\n\r\nx`],
    ['quotes in From', `From: ${'"\\'.repeat(100_000)}\r\n\r\nx`],
    ['20,000 unterminated encoded words', `Subject: ${'=?utf-8?Q?'.repeat(20_000)}\r\n\r\nx`],
    ['10,000 encoded words', `Subject: ${'=?utf-8?B?w6Q=?= '.repeat(10_000)}\r\n\r\nx`],
    ['5,000 nested parts', `Content-Type: multipart/mixed; boundary=b0\r\n\r\n${nested.join('\r\n')}`],
    [
      'control characters and invalid bytes',
      'Subject: a\0b\x01\xff\xfe\r\nFrom: \0@\xff\r\nMessage-ID: <\0@x>\r\n\r\n\0',
    ],
    ['60,000 folded lines', `Subject: x\r\n${' y\r\n'.repeat(60_000)}\r\nx`],
  ])('with %s is accepted without blocking the event loop', async (_case, raw) => {
    const longest = await longestTurnMs(async () => {
      expect(await sendRaw(raw, `ann@${domain.name}`)).toMatch(/^250/);
    });
    expect(longest).toBeLessThan(3_000);
    const [message] = await listed();
    expect(message.subject.length).toBeLessThanOrEqual(1000);
  });
});

describe('the port', () => {
  const options = { dir, maxMessageBytes: MB, ...calls };

  it('falls back to the next free one if it was not configured', async () => {
    const next = await startSandboxInbound({ ...options, port, isPortConfigured: false });
    expect(next.port).toBeGreaterThan(port);
    await next.close();
  });

  it('fails to start if it was configured and is in use', async () => {
    const started = startSandboxInbound({ ...options, port, isPortConfigured: true });
    await expect(started).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  it('sends a greeting and offers neither AUTH nor STARTTLS', async () => {
    const socket = connect(port, '127.0.0.1');
    let received = '';
    socket.on('data', (data) => {
      received += data;
    });
    await expect.poll(() => received).toMatch(/^220 .*Postroom sandbox/);
    socket.write('EHLO test\r\n');
    await expect.poll(() => received).toMatch(/250 [^\r\n]+\r\n$/);
    expect(received).not.toMatch(/AUTH|STARTTLS/);
    socket.destroy();
  });
});
