import { readdir } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeAlias, makeDomain, makeMailbox } from '@/test/factories';
import { emittedEvents } from '@/test/mail/logged-mail';
import { startInbound } from '@/test/mail/sandbox-inbound';
import { keyClient } from '@/test/rest';
import { mailServerCalls } from '../service';

const GTUBE = 'XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X';
const MB = 1024 * 1024;

const { dir, sendRaw } = await startInbound(mailServerCalls(db), { maxMessageBytes: 2 * MB });
const api = await keyClient();

let domain: { id: string; name: string };

beforeEach(async () => {
  domain = await makeDomain();
  await makeMailbox(domain.id, 'ann');
});

const listed = async (domainId = domain.id) => (await api.get(`/messages?domain_id=${domainId}`)).data;

const emitted = (domainId = domain.id) => emittedEvents(domainId);

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
      expect((await emitted())[0]?.id).toBe(message.message_id);
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
    await makeMailbox(domain.id, 'li');
    await makeAlias(domain.id, 'sales', `ann@${domain.name},li@${domain.name}`);
    await makeAlias(domain.id, 'info', `ann@${domain.name}`);
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
    await makeAlias(domain.id, 'out', 'x@far.example,y@far.example');
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
    await makeMailbox(other.id, 'li');
    await makeAlias(domain.id, 'li', `li@${other.name}`);
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
  await makeMailbox(other.id, 'li');
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
