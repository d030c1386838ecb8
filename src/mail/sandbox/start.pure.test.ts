import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { InboundPort } from '../inbound/port';
import { createSmtpSubmitter, type SmtpSubmitter, type SubmitOutcome } from '../submission/submit';
import { newQueueId } from './queue-id';
import { type SandboxMta, type SandboxOptions, startSandboxMta } from './start';

const envelope = { from: 'ann@example.com', to: ['bob@example.org', 'li@xn--r8jz45g.xn--zckzah'] };
const raw = Buffer.from('Subject: hi\r\n\r\n.\r\n..\r\n.foo\r\n\r\nü \x80\xff\r\n.', 'latin1');
const rawAsSent = Buffer.concat([raw, Buffer.from('\r\n')]);
const MB = 1024 * 1024;
const unmanaged: InboundPort = {
  resolve: async () => ({ isAccepted: false, reason: 'not_managed' }),
  receive: async () => {},
};

let dir: string;
const cleanups: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'sandbox-'));
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  await rm(dir, { recursive: true, force: true });
});

describe('a submission', () => {
  it('is stored byte for byte with its envelope before it is accepted', async () => {
    const { submitter } = await sandbox();
    const queueId = accepted(await submitter.submit({ envelope, raw }));
    expect((await readFile(path.join(dir, `${queueId}.eml`))).equals(rawAsSent)).toBe(true);
    expect(JSON.parse(await readFile(path.join(dir, `${queueId}.json`), 'utf8'))).toEqual({
      queueId,
      mailFrom: envelope.from,
      rcptTo: envelope.to,
      messageId: null,
      sizeBytes: rawAsSent.length,
      receivedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
  });

  it('of 50 MB is stored completely', async () => {
    const { submitter } = await sandbox({ maxMessageBytes: 60 * MB });
    const line = Buffer.from(`${'y'.repeat(98)}\r\n`);
    const big = Buffer.alloc(line.length * Math.floor((50 * MB) / line.length), line);
    const queueId = accepted(await submitter.submit({ envelope, raw: big }));
    expect((await readFile(path.join(dir, `${queueId}.eml`))).equals(big)).toBe(true);
  });

  it('gets a unique id, even if two sandboxes share a folder', async () => {
    const [one, two] = [await sandbox(), await sandbox()];
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, (_, index) => (index % 2 ? one : two).submitter.submit({ envelope, raw })),
    );
    const ids = new Set(outcomes.map(accepted));
    expect(ids.size).toBe(100);
    expect(await files()).toEqual([...ids].flatMap((id) => [`${id}.eml`, `${id}.json`]).sort());
  });

  it.each([
    ['no credentials', (url: string) => url.replace(/\/\/.*@/, '//'), 530],
    ['a wrong password', (url: string) => url.replace(/:[^:@]+@/, ':wrong@'), 535],
    ['a wrong user', (url: string) => url.replace(/\/\/[^:]+:/, '//root:'), 535],
  ])('with %s is rejected', async (_case, change, smtpCode) => {
    const { mta } = await sandbox();
    const submitter = submitterFor(change(mta.smtpUrl));
    expect(await submitter.submit({ envelope, raw })).toMatchObject({
      outcome: 'refused',
      isTemporary: false,
      smtpCode,
    });
    expect(await files()).toEqual([]);
  });

  it('over the size limit is permanently rejected, whether or not the client announced its size', async () => {
    const { mta, submitter } = await sandbox({ maxMessageBytes: 1000 });
    expect(await submitter.submit({ envelope, raw: Buffer.alloc(1100, 'x') })).toMatchObject({
      outcome: 'refused',
      cause: 'rejected',
      isTemporary: false,
    });
    const client = await signedIn(mta);
    expect(await client.say('MAIL FROM:<a@example.com>')).toMatch(/^250/);
    expect(await client.say('RCPT TO:<b@example.org>')).toMatch(/^250/);
    expect(await client.say('DATA')).toMatch(/^354/);
    expect(await client.say(`${'x'.repeat(2000)}\r\n.`)).toMatch(/^552 5\.3\.4/);
    expect(await client.say('NOOP')).toMatch(/^250/);
    expect(await files()).toEqual([]);
  });

  it('gets 452 when the disk is almost full, and leaves no file behind', async () => {
    const { submitter } = await sandbox({ minFreeBytes: Number.MAX_SAFE_INTEGER });
    expect(await submitter.submit({ envelope, raw })).toMatchObject({
      outcome: 'refused',
      isTemporary: true,
      smtpCode: 452,
      enhancedCode: '4.3.1',
    });
    expect(await files()).toEqual([]);
  });

  it('gets 451 if the folder is gone, once it was read to the end', async () => {
    const { mta, submitter } = await sandbox();
    const client = await signedIn(mta);
    expect(await client.say('MAIL FROM:<a@example.com>')).toMatch(/^250/);
    expect(await client.say('RCPT TO:<b@example.org>')).toMatch(/^250/);
    await rm(dir, { recursive: true });
    expect(await client.say('DATA')).toMatch(/^354/);
    expect(await client.say(`${'x\r\n'.repeat(100_000)}.`)).toMatch(/^451 4\.3\.0/);
    expect(await client.say('NOOP')).toMatch(/^250/);
    expect(await submitter.submit({ envelope, raw })).toMatchObject({
      outcome: 'refused',
      isTemporary: true,
      smtpCode: 451,
    });
  });

  it('that is interrupted leaves no file behind', async () => {
    const { mta } = await sandbox();
    const client = await signedIn(mta);
    await client.say('MAIL FROM:<a@example.com>');
    await client.say('RCPT TO:<b@example.org>');
    await client.say('DATA');
    client.socket.write('x\r\n'.repeat(10_000));
    await expect.poll(files).toHaveLength(1);
    client.socket.destroy();
    await expect.poll(files).toEqual([]);
  });
});

describe('the folder', () => {
  it('loses only old partial files of a crash', async () => {
    const longAgo = new Date(Date.now() - 2 * 60 * 60 * 1000);
    for (const name of ['old.eml.part', 'young.eml.part', 'old.eml', 'old.json']) {
      await writeFile(path.join(dir, name), 'x');
      if (name.startsWith('old')) await utimes(path.join(dir, name), longAgo, longAgo);
    }
    await sandbox();
    expect(await files()).toEqual(['old.eml', 'old.json', 'young.eml.part']);
  });

  it('is created if it is missing', async () => {
    dir = path.join(dir, 'a', 'b');
    const { submitter } = await sandbox();
    accepted(await submitter.submit({ envelope, raw }));
    expect(await files()).toHaveLength(2);
  });
});

describe('close', () => {
  it('lets a running submission finish', async () => {
    const { mta } = await sandbox();
    const client = await signedIn(mta);
    await client.say('MAIL FROM:<a@example.com>');
    await client.say('RCPT TO:<b@example.org>');
    await client.say('DATA');
    const closed = mta.close();
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await client.say('Subject: late\r\n.')).toMatch(/^250 2\.0\.0 Ok: queued as /);
    await closed;
    expect(await files()).toHaveLength(2);
  });

  it('stops listening', async () => {
    const { mta, submitter } = await sandbox();
    await mta.close();
    expect(await submitter.submit({ envelope, raw })).toMatchObject({
      outcome: 'refused',
      isTemporary: true,
      smtpCode: null,
    });
  });
});

describe('newQueueId', () => {
  it('sorts by time and looks like a long Postfix queue id', () => {
    const ids = [1_000_000_000_000, 1_772_000_000_000, 1_772_000_000_001, 2_000_000_000_000].map((at) =>
      newQueueId(new Date(at)),
    );
    expect([...ids].sort()).toEqual(ids);
    for (const id of ids)
      expect(id).toMatch(/^[0-9B-DF-HJ-NP-TV-Zb-df-hj-np-tv-z]{10}z[0-9B-DF-HJ-NP-TV-Zb-df-hj-np-tv-y]{6}$/);
  });
});

async function sandbox(options: Partial<SandboxOptions> = {}): Promise<{ mta: SandboxMta; submitter: SmtpSubmitter }> {
  const onReport = async () => {};
  const mta = await startSandboxMta({
    dir,
    maxMessageBytes: 10 * MB,
    minFreeBytes: 0,
    onReport,
    ...unmanaged,
    ...options,
  });
  cleanups.push(mta.close);
  return { mta, submitter: submitterFor(mta.smtpUrl) };
}

function submitterFor(url: string): SmtpSubmitter {
  const submitter = createSmtpSubmitter(url);
  cleanups.push(submitter.close);
  return submitter;
}

function accepted(outcome: SubmitOutcome): string {
  if (outcome.outcome !== 'accepted' || !outcome.queueId) throw new Error(JSON.stringify(outcome));
  return outcome.queueId;
}

async function files(): Promise<string[]> {
  return (await readdir(dir)).filter((name) => !name.endsWith('.due')).sort();
}

async function signedIn(mta: SandboxMta): Promise<{ socket: Socket; say: (line: string) => Promise<string> }> {
  const url = new URL(mta.smtpUrl);
  const socket = connect(Number(url.port), url.hostname);
  socket.on('error', () => {});
  cleanups.push(async () => socket.destroy());
  const readReply = () => new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString())));
  const say = (line: string) => {
    const reply = readReply();
    socket.write(`${line}\r\n`);
    return reply;
  };
  await readReply();
  await say('EHLO test');
  expect(await say(`AUTH PLAIN ${Buffer.from(`\0${url.username}\0${url.password}`).toString('base64')}`)).toMatch(
    /^235/,
  );
  return { socket, say };
}
