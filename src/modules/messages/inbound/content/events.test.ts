import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type Mail from 'nodemailer/lib/mailer';
import { beforeEach, describe, expect, it } from 'vitest';
import { uuidv7 } from '@/lib/uuid';
import type { InboundMail } from '@/mail/inbound/port';
import { startSandboxMta } from '@/mail/sandbox/start';
import { createSmtpSubmitter } from '@/mail/submission/submit';
import { db } from '@/test/database';
import { makeAlias, makeDomain, makeMailbox } from '@/test/factories';
import { startInbound } from '@/test/mail/sandbox-inbound';
import { longestTurnMs } from '@/test/main-thread';
import { mailServerCalls } from '../../service';
import { readHeader } from '../header';
import { withContentEvents } from './events';
import { createFieldsParser } from './parser';

const GTUBE = 'XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X';
const MB = 1024 * 1024;

const calls = mailServerCalls(db);
const received: InboundMail[] = [];
let reads = 0;
const { dir, client } = await startInbound(
  {
    resolve: calls.resolve,
    async receive(mail) {
      const read = () => {
        reads += 1;
        return mail.read();
      };
      const counted = { ...mail, read };
      received.push(counted);
      await calls.receive(counted);
    },
  },
  { maxMessageBytes: 20 * MB },
);

let domain: { id: string; name: string };
let ann: string;

beforeEach(async () => {
  await db.webhook.deleteMany();
  [received.length, reads] = [0, 0];
  domain = await makeDomain();
  await makeMailbox(domain.id, 'ann');
  ann = `ann@${domain.name}`;
});

function subscribe(over: { domainId?: string; events?: string[]; active?: boolean } = {}) {
  const data = {
    url: 'https://hooks.example',
    events: ['mail.received.full'],
    secret: randomBytes(8),
    createdBy: uuidv7(),
  };
  return db.webhook.create({ data: { ...data, ...over } });
}

function send(mail: Mail.Options) {
  return client.sendMail({ from: 'bo@far.example', to: ann, ...mail });
}

async function eventsOf(domainId = domain.id) {
  return db.event.findMany({
    where: { domainId },
    orderBy: { id: 'asc' },
    include: { parts: { orderBy: { position: 'asc' } }, deliveries: true },
  });
}

/** The parsed bodies of the mail.received.full events of a domain. */
async function contentBodies(domainId = domain.id) {
  const events = (await eventsOf(domainId)).filter(({ type }) => type === 'mail.received.full');
  return events.map(({ body, bodyBytes, parts }) => {
    const bytes = body === null ? Buffer.concat(parts.map(({ bytes }) => bytes)) : Buffer.from(body);
    expect(bytes.length).toBe(bodyBytes);
    return JSON.parse(bytes.toString());
  });
}

describe('mail.received.full', () => {
  it('contains the message as sent, with attachments byte for byte', async () => {
    await subscribe();
    const binary = randomBytes(300 * 1024);
    await send({
      from: { name: 'Björn Größe', address: 'bo@far.example' },
      to: [{ name: 'Änn', address: ann }],
      cc: 'li@elsewhere.example',
      replyTo: 'desk@far.example',
      envelope: { from: 'bounces@far.example', to: [ann] },
      subject: 'Grüße aus Bern',
      messageId: '<one@far.example>',
      headers: { 'X-Custom': 'ünï' },
      text: 'Grüße\n漢字',
      html: '<p>Grüße</p>',
      attachments: [
        { filename: 'Übersicht 漢字.bin', content: binary },
        { filename: 'leer.txt', content: '' },
      ],
    });
    const [message] = await db.message.findMany({ where: { domainId: domain.id } });
    const events = await eventsOf();
    expect(events.map(({ type }) => type)).toEqual(['mail.received', 'mail.received.full']);
    expect(events[1]).toMatchObject({ recipient: ann, messageRowId: message?.id, deliveries: [{ status: 'pending' }] });
    const [{ data, ...envelope }] = await contentBodies();
    expect(envelope).toEqual({
      id: '<one@far.example>',
      event: 'mail.received.full',
      timestamp: message?.createdAt.toISOString(),
    });
    const raw = await readFile(path.join(dir, `${message?.queueId}.eml`));
    const { attachments, headers, body_text, body_html, ...rest } = data;
    expect(rest).toEqual({
      message_id: '<one@far.example>',
      from: { name: 'Björn Größe', email: 'bo@far.example' },
      to: [{ name: 'Änn', email: ann }],
      cc: [{ name: '', email: 'li@elsewhere.example' }],
      reply_to: { name: '', email: 'desk@far.example' },
      reply_to_all: [{ name: '', email: 'desk@far.example' }],
      subject: 'Grüße aus Bern',
      envelope: { mail_from: 'bounces@far.example', rcpt_to: [ann] },
      domain: domain.name,
      size: raw.length,
      spam_score: 0,
      spam_action: 'no action',
      queue_id: message?.queueId,
    });
    expect([body_text, body_html]).toEqual(['Grüße\n漢字', '<p>Grüße</p>']);
    expect(headers).toMatchObject({ Subject: 'Grüße aus Bern', 'X-Custom': 'ünï', 'Message-ID': '<one@far.example>' });
    expect(attachments).toMatchObject([
      { filename: 'Übersicht 漢字.bin', content_type: 'application/octet-stream', size: binary.length },
      { filename: 'leer.txt', content_type: 'text/plain', size: 0, content_base64: '' },
    ]);
    expect(Buffer.from(attachments[0].content_base64, 'base64').equals(binary)).toBe(true);
  });

  it('is emitted once per receiving domain and names no recipients of other domains', async () => {
    const other = await makeDomain();
    await makeMailbox(domain.id, 'mo');
    await makeMailbox(other.id, 'li');
    await makeAlias(domain.id, 'both', `${ann},li@${other.name}`);
    await makeAlias(domain.id, 'out', 'x@far.example');
    await subscribe();
    const [both, out, mo] = ['both', 'out', 'mo'].map((local) => `${local}@${domain.name}`) as [string, string, string];
    const li = `li@${other.name}`;
    await send({ envelope: { from: 'bo@far.example', to: [out, both, mo, ann, li] }, text: 'x' });
    expect((await contentBodies()).map(({ data }) => data.envelope.rcpt_to)).toEqual([[both, mo, ann]]);
    const [{ data }] = await contentBodies(other.id);
    expect([data.domain, data.envelope.rcpt_to]).toEqual([other.name, [both, li]]);
  });

  it('is emitted only for the domain with a subscribed webhook', async () => {
    const other = await makeDomain();
    await makeMailbox(other.id, 'li');
    await subscribe({ domainId: other.id });
    await send({ to: [ann, `li@${other.name}`], text: 'x' });
    expect(await contentBodies()).toEqual([]);
    expect(await contentBodies(other.id)).toHaveLength(1);
  });

  it('is not built, and the message not read, without a subscribed webhook', async () => {
    await subscribe({ active: false });
    await subscribe({ events: ['mail.received'] });
    await subscribe({ domainId: (await makeDomain()).id });
    await send({ text: 'x' });
    expect((await eventsOf()).map(({ type }) => type)).toEqual(['mail.received']);
    expect(reads).toBe(0);
  });

  it('is emitted for a webhook subscribed to all events', async () => {
    await subscribe({ events: ['*'] });
    await send({ text: 'x' });
    expect(await contentBodies()).toHaveLength(1);
  });

  it('is not emitted for spam', async () => {
    await subscribe({ events: ['*'] });
    await send({ text: GTUBE });
    expect((await eventsOf()).map(({ type }) => type)).toEqual(['mail.spam']);
    expect(reads).toBe(0);
  });

  it('is not emitted for mail that is only forwarded', async () => {
    await makeAlias(domain.id, 'out', 'x@far.example');
    await subscribe({ events: ['*'] });
    await send({ to: `out@${domain.name}`, text: 'x' });
    expect(await eventsOf()).toEqual([]);
  });

  it('is emitted for mail between managed domains, with its content', async () => {
    await subscribe();
    const mta = await startSandboxMta({ dir: path.join(dir, 'out'), maxMessageBytes: MB, minFreeBytes: 0, ...calls });
    const submitter = createSmtpSubmitter(mta.smtpUrl);
    const raw = Buffer.from('From: li@near.example\r\n\r\nHello\r\n');
    await submitter.submit({ envelope: { from: 'li@near.example', to: [ann] }, raw });
    await expect.poll(() => contentBodies()).toMatchObject([{ data: { body_text: 'Hello\n', size: raw.length } }]);
    await submitter.close();
    await mta.close();
  });

  it('is emitted for each of several long messages received concurrently', async () => {
    await subscribe();
    const files = Array.from({ length: 6 }, () => randomBytes(1.5 * MB));
    await Promise.all(files.map((content) => send({ text: 'x', attachments: [{ filename: 'a.bin', content }] })));
    const contents = (await contentBodies()).map(({ data }) => data.attachments[0].content_base64);
    expect(contents.sort()).toEqual(files.map((file) => file.toString('base64')).sort());
  });

  it('is emitted once when the same queue id is received again, without reading it again', async () => {
    await subscribe();
    await send({ text: 'x' });
    await calls.receive(received[0] as InboundMail);
    expect(await contentBodies()).toHaveLength(1);
    expect(reads).toBe(1);
  });
});

describe('mail that cannot be parsed', () => {
  const nested = Array.from(
    { length: 5000 },
    (_, depth) => `--b${depth}\r\nContent-Type: multipart/mixed; boundary=b${depth + 1}\r\n`,
  );
  const raw = `From: Bo <bo@far.example>\r\nTo: ann@x.example\r\nContent-Type: multipart/mixed; boundary=b0\r\n\r\n${nested.join('\r\n')}\r\n`;

  it('is accepted, and its event contains the whole message', async () => {
    await subscribe();
    expect((await send({ envelope: { from: 'b@far.example', to: [ann] }, raw })).response).toMatch(/^250/);
    const [{ data }] = await contentBodies();
    expect(data).toMatchObject({
      from: { name: 'Bo', email: 'bo@far.example' },
      to: [{ name: '', email: 'ann@x.example' }],
      body_text: null,
      body_html: null,
      attachments: [{ filename: 'message.eml', content_type: 'message/rfc822', size: raw.length }],
    });
    expect(Buffer.from(data.attachments[0].content_base64, 'base64').toString()).toBe(raw);
  });

  it.each([
    ['before the deadline', 'while (true);'],
    ['because the worker exits', 'process.exit(3);'],
  ])('%s is reported whole', async (_case, failure) => {
    await subscribe();
    await send({ text: 'x'.repeat(100_000), subject: 'late' });
    const mail = { ...(received[0] as InboundMail), queueId: 'LATE' };
    const startWorker = () =>
      new Worker(`require('node:worker_threads').parentPort.on('message', () => { ${failure} })`, { eval: true });
    const parse = createFieldsParser({ startWorker, deadlineMs: 300 });
    const record: Parameters<typeof withContentEvents>[2] = ({ emit }) => db.$transaction((tx) => emit(tx, new Map()));
    await withContentEvents(mail, await readHeader(mail), record, parse);
    const [{ data }] = (await contentBodies()).filter((body) => body.data.queue_id === 'LATE');
    expect(data).toMatchObject({ subject: 'late', body_text: null, headers: { Subject: 'late' } });
    expect(Buffer.from(data.attachments[0].content_base64, 'base64')).toEqual(Buffer.from(await mail.read()));
  });
});

it.each([
  ['10,000 parts', `Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\n\r\nx\r\n'.repeat(10_000)}--b--\r\n`],
  ['a header of 5 MB', `X: ${'x'.repeat(5 * MB)}\r\n\r\nx\r\n`],
  [
    'control characters and invalid bytes',
    'Subject: a\0b\x01\xff\xfe\r\nFrom: \0@\xff\r\nMessage-ID: <\0@x>\r\n\r\n\0\r\n',
  ],
  ['no header', '\r\n\r\nx\r\n'],
  ['no content', ''],
  ['100,000 empty lines', '\r\n'.repeat(100_000)],
])('emits the event for mail with %s without blocking the event loop', async (_case, raw) => {
  await subscribe();
  expect(
    await longestTurnMs(() => send({ envelope: { from: '', to: [ann] }, raw: Buffer.from(raw, 'latin1') })),
  ).toBeLessThan(3_000);
  const [{ data }] = await contentBodies();
  expect(data).toMatchObject({ domain: domain.name, envelope: { mail_from: '', rcpt_to: [ann] } });
});
