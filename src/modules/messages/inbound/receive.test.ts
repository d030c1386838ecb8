import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import nodemailer from 'nodemailer';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { InboundPort } from '@/mail/inbound/port';
import { startSandboxInbound } from '@/mail/sandbox/inbound';
import { db } from '@/test/database';
import { makeDomain } from '@/test/factories';
import { keyClient } from '@/test/rest';
import { mailServerCalls } from '../service';

const GTUBE = 'XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X';
const MB = 1024 * 1024;

const dir = await mkdtemp(path.join(tmpdir(), 'inbound-'));
const calls = mailServerCalls(db);
let failure: { [Step in keyof InboundPort]?: Error } = {};
const inbound = await startSandboxInbound({
  dir,
  maxMessageBytes: 2 * MB,
  minFreeBytes: 0,
  port: 0,
  isPortConfigured: true,
  resolve: (address) => (failure.resolve ? Promise.reject(failure.resolve) : calls.resolve(address)),
  receive: (mail) => (failure.receive ? Promise.reject(failure.receive) : calls.receive(mail)),
});
const client = nodemailer.createTransport({ host: '127.0.0.1', port: inbound.port, ignoreTLS: true });
const api = await keyClient();

let domain: { id: string; name: string };

beforeEach(async () => {
  failure = {};
  domain = await makeDomain();
  await makeMailbox('ann');
});

afterAll(async () => {
  client.close();
  await inbound.close();
  await rm(dir, { recursive: true, force: true });
});

function makeMailbox(localPart: string, domainId = domain.id) {
  return db.mailbox.create({ data: { domainId, localPart, passwordHash: 'x' } });
}

function makeAlias(sourceLocalPart: string, destination: string) {
  return db.alias.create({ data: { domainId: domain.id, sourceLocalPart, destination } });
}

/** Sends a raw message unchanged. @returns the server's response */
async function sendRaw(raw: string, to: string | string[], from = 'bo@far.example'): Promise<string> {
  return (await client.sendMail({ envelope: { from, to }, raw })).response;
}

async function rejectionOf(to: string): Promise<string> {
  const error = await sendRaw('Subject: x\r\n\r\nx', to).then(
    () => null,
    (cause) => cause,
  );
  return error?.response;
}

async function listed(domainId = domain.id) {
  return (await api.get(`/messages?domain_id=${domainId}`)).data;
}

async function emitted(domainId = domain.id) {
  const rows = await db.event.findMany({ where: { domainId }, orderBy: { id: 'asc' } });
  return rows.map(({ body }) => JSON.parse(body ?? ''));
}

describe('mail for a mailbox', () => {
  it('is recorded with header fields, size and queue id, and emits mail.received, before it is accepted', async () => {
    const raw = [
      'From: =?utf-8?Q?Bj=C3=B6rn?= <bo@far.example>',
      `To: Ann <ann@${domain.name}>`,
      'Subject: =?utf-8?B?R3LDvMOfZQ==?= aus\r\n Bern',
      'Message-ID: <one@far.example>',
      '',
      'Hello',
      '',
    ].join('\r\n');
    const response = await sendRaw(raw, `Ann@${domain.name}`, 'bounces@far.example');
    const queueId = /^250 2\.0\.0 Ok: queued as (\w+)$/.exec(response)?.[1] as string;
    const [message, ...more] = await listed();
    expect(more).toEqual([]);
    expect(message).toMatchObject({
      message_id: '<one@far.example>',
      queue_id: queueId,
      direction: 'inbound',
      from: 'bo@far.example',
      to: [`ann@${domain.name}`],
      subject: 'Grüße aus Bern',
      size: Buffer.byteLength(raw),
      status: 'received',
      spam_score: 0,
    });
    const shown = (await api.get(`/messages/${message.id}`)).data;
    expect(shown.recipients).toMatchObject([{ address: `ann@${domain.name}`, status: 'received', route: 'mailbox' }]);
    expect(shown.events).toMatchObject([
      { type: 'received', recipient: `ann@${domain.name}`, detail: { route: 'mailbox' } },
    ]);
    expect(await emitted()).toEqual([
      {
        id: '<one@far.example>',
        event: 'mail.received',
        timestamp: message.created_at,
        data: {
          message_id: '<one@far.example>',
          from: 'bo@far.example',
          to: `ann@${domain.name}`,
          domain: domain.name,
          subject: 'Grüße aus Bern',
          size: Buffer.byteLength(raw),
          queue_id: queueId,
        },
      },
    ]);
    expect(await readdir(dir)).toEqual(expect.arrayContaining([`${queueId}.eml`, `${queueId}.json`]));
  });

  it('with a Message-ID that already exists is recorded as another message', async () => {
    const messageId = `<again@${domain.name}>`;
    const common = { fromAddress: 'a@b.example', subject: '', sizeBytes: 1 };
    const ours = { messageId, domainId: domain.id, direction: 'outbound' as const, status: 'sent' as const, ...common };
    await db.message.create({ data: ours });
    for (const _ of [1, 2]) await sendRaw(`Message-ID: ${messageId}\r\n\r\nx`, `ann@${domain.name}`);
    expect((await listed()).map((row: { message_id: string }) => row.message_id)).toEqual(Array(3).fill(messageId));
    await expect(db.message.create({ data: ours })).rejects.toThrow(/Unique/);
  });

  it.each(['', 'Message-ID: \r\n', 'Message-ID: <a b>\r\n', `Message-ID: <${'x'.repeat(2000)}@y>\r\n`])(
    'without a usable Message-ID (%#) gets one under the domain',
    async (header) => {
      await sendRaw(`${header}Subject: x\r\n\r\nx`, `ann@${domain.name}`);
      const [message] = await listed();
      expect(message.message_id).toMatch(new RegExp(`^<[^@<>]+@${domain.name}>$`));
      expect((await emitted())[0].id).toBe(message.message_id);
    },
  );

  it.each([
    ['no From', 'Subject: x', 'bo@far.example'],
    ['an invalid From address', 'From: undisclosed', 'bo@far.example'],
    ['a group in From', 'From: Us: li@far.example, mo@far.example;', 'li@far.example'],
    ['several From addresses', 'From: li@far.example, mo@far.example', 'li@far.example'],
  ])('with %s records the best known sender', async (_case, header, from) => {
    await sendRaw(`${header}\r\n\r\nx`, `ann@${domain.name}`);
    expect((await listed())[0].from).toBe(from);
  });

  it('from the null sender is accepted', async () => {
    await sendRaw('Subject: Undelivered\r\n\r\nx', `ann@${domain.name}`, '');
    expect(await listed()).toMatchObject([{ from: '', subject: 'Undelivered' }]);
  });
});

describe('mail for an alias', () => {
  it('is delivered and reported once per mailbox, even if several addresses deliver there', async () => {
    await makeMailbox('li');
    await makeAlias('sales', `ann@${domain.name},li@${domain.name}`);
    await makeAlias('info', `ann@${domain.name}`);
    const to = ['sales', 'info', 'ann', 'ANN'].map((local) => `${local}@${domain.name}`);
    await sendRaw('Subject: x\r\n\r\nx', to);
    const [message, ...more] = await listed();
    expect(more).toEqual([]);
    expect(message.to.sort()).toEqual(['ann', 'info', 'sales'].map((local) => `${local}@${domain.name}`));
    expect((await emitted()).map(({ data }) => data.to)).toEqual([`ann@${domain.name}`, `li@${domain.name}`]);
    const { events } = (await api.get(`/messages/${message.id}`)).data;
    expect(events).toContainEqual(
      expect.objectContaining({
        recipient: `li@${domain.name}`,
        detail: { route: 'mailbox', addressed_to: `sales@${domain.name}` },
      }),
    );
  });

  it('that is only forwarded is recorded without mail.received', async () => {
    await makeAlias('out', 'x@far.example,y@far.example');
    await sendRaw('Subject: x\r\n\r\nx', `out@${domain.name}`);
    const [message] = await listed();
    const { events, recipients } = (await api.get(`/messages/${message.id}`)).data;
    const detail = { route: 'forwarded', forwarded_to: ['x@far.example', 'y@far.example'] };
    expect(events).toMatchObject([{ type: 'forwarded', recipient: `out@${domain.name}`, detail }]);
    expect(recipients).toMatchObject([{ status: 'received', route: 'forwarded' }]);
    expect(await emitted()).toEqual([]);
  });

  it('is reported for the domain of the mailbox, and listed under the domain it was addressed to', async () => {
    const other = await makeDomain();
    await makeMailbox('li', other.id);
    await makeAlias('li', `li@${other.name}`);
    await sendRaw('Subject: x\r\n\r\nx', [`li@${domain.name}`, `ann@${domain.name}`]);
    expect(await listed()).toHaveLength(1);
    expect((await emitted()).map(({ data }) => data.to)).toEqual([`ann@${domain.name}`]);
    expect((await emitted(other.id)).map(({ data }) => [data.to, data.domain])).toEqual([
      [`li@${other.name}`, other.name],
    ]);
  });
});

it('mail for several managed domains is a message in each', async () => {
  const other = await makeDomain();
  await makeMailbox('li', other.id);
  await sendRaw('Message-ID: <m@far.example>\r\n\r\nx', [`ann@${domain.name}`, `li@${other.name}`]);
  expect(await listed()).toMatchObject([{ message_id: '<m@far.example>', to: [`ann@${domain.name}`] }]);
  expect(await listed(other.id)).toMatchObject([{ message_id: '<m@far.example>', to: [`li@${other.name}`] }]);
});

describe('mail with the GTUBE line', () => {
  it('is recorded as spam, not delivered, and emits mail.spam', async () => {
    await sendRaw(
      `Message-ID: <s@far.example>\r\nFrom: bo@far.example\r\n\r\nHi\r\n${GTUBE}\r\n`,
      `ann@${domain.name}`,
    );
    const [message] = await listed();
    expect(message).toMatchObject({ status: 'spam', spam_score: 15 });
    expect((await api.get(`/messages/${message.id}`)).data).toMatchObject({
      recipients: [{ status: 'spam', route: 'filter' }],
      events: [{ type: 'spam', detail: { route: 'filter' } }],
    });
    expect(await emitted()).toEqual([
      {
        id: '<s@far.example>',
        event: 'mail.spam',
        timestamp: message.created_at,
        data: {
          message_id: '<s@far.example>',
          from: 'bo@far.example',
          to: `ann@${domain.name}`,
          domain: domain.name,
          spam_score: 15,
          spam_action: 'quarantine',
        },
      },
    ]);
  });

  it('is detected anywhere in a large message', async () => {
    for (const before of [65_500, 131_000, 300_001]) {
      await sendRaw(
        `Subject: x\r\n\r\n${`${'y'.repeat(70)}\r\n`.repeat(before / 72)}${GTUBE}\r\n`,
        `ann@${domain.name}`,
      );
    }
    expect((await listed()).map(({ status }: { status: string }) => status)).toEqual(['spam', 'spam', 'spam']);
  });
});

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
    let longestStallMs = 0;
    let lastAt = performance.now();
    const pulse = setInterval(() => {
      longestStallMs = Math.max(longestStallMs, performance.now() - lastAt);
      lastAt = performance.now();
    }, 5);
    expect(await sendRaw(raw, `ann@${domain.name}`)).toMatch(/^250/);
    clearInterval(pulse);
    expect(longestStallMs).toBeLessThan(3000);
    const [message] = await listed();
    expect(message.subject.length).toBeLessThanOrEqual(1000);
  });
});

describe('the port', () => {
  const options = { dir, maxMessageBytes: MB, ...calls };

  it('falls back to the next free one if it was not configured', async () => {
    const next = await startSandboxInbound({ ...options, port: inbound.port, isPortConfigured: false });
    expect(next.port).toBeGreaterThan(inbound.port);
    await next.close();
  });

  it('fails to start if it was configured and is in use', async () => {
    const started = startSandboxInbound({ ...options, port: inbound.port, isPortConfigured: true });
    await expect(started).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  it('sends a greeting and offers neither AUTH nor STARTTLS', async () => {
    const socket = connect(inbound.port, '127.0.0.1');
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
