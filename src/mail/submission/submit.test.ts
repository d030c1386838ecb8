import { afterEach, describe, expect, it } from 'vitest';
import {
  failAt,
  type SmtpAction,
  type SmtpPoint,
  type SmtpScript,
  startRawSmtpServer,
} from '@/test/servers/raw-smtp-server';
import { startSmtpServer } from '@/test/servers/smtp-server';
import { createSmtpSubmitter, type SmtpSubmitter, type SubmitTimeouts } from './submit';

const LONG_TIMEOUTS: SubmitTimeouts = { setupMs: 10_000, stallMs: 10_000, replyMs: 10_000, idleMs: 10_000 };
const SHORT_TIMEOUTS: Partial<SubmitTimeouts> = { setupMs: 250, stallMs: 250, replyMs: 250 };
const SLOW_LINK: Partial<SubmitTimeouts> = { setupMs: 250, stallMs: 1500, replyMs: 250 };
const envelope = { from: 'ann@example.com', to: ['bob@example.org'] };
const small = Buffer.from('Subject: hi\r\n\r\n.\r\n..\r\n.foo\r\nbye\r\n');
// Larger than the socket buffers, so that the client notices a stall.
const large = linesOf(40 * 1024 * 1024);

const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

describe('a working server', () => {
  it('gets the message once, and its queue id is in the outcome', async () => {
    const { server, submitter } = await rawServer();
    expect(await submitter.submit({ envelope, raw: small })).toEqual({
      outcome: 'accepted',
      queueId: '4Rk2Vd0xQzLm',
      response: '250 2.0.0 Ok: queued as 4Rk2Vd0xQzLm',
      refusedRecipients: [],
    });
    expect(server.messages).toEqual([small.toString()]);
  });

  it('gets the user name and password of the URL', async () => {
    const server = await startSmtpServer({ user: 'us/er', password: 'p@ss:w%rd' });
    const submitter = createSmtpSubmitter(server.url);
    cleanups.push(server.close, submitter.close);
    expect(await submitter.submit({ envelope, raw: small })).toMatchObject({ outcome: 'accepted' });
    expect(server.received).toMatchObject([{ user: 'us/er', raw: small }]);
  });

  it('rejects a wrong password permanently', async () => {
    const server = await startSmtpServer({ user: 'user', password: 'right' });
    const submitter = createSmtpSubmitter(server.url.replace('right', 'wrong'));
    cleanups.push(server.close, submitter.close);
    expect(await submitter.submit({ envelope, raw: small })).toMatchObject({
      outcome: 'refused',
      isTemporary: false,
      smtpCode: 535,
      enhancedCode: '5.7.8',
    });
    expect(server.received).toEqual([]);
  });

  it('receives 50 MB byte for byte', async () => {
    const raw = linesOf(50 * 1024 * 1024);
    const server = await startSmtpServer();
    const submitter = createSmtpSubmitter(server.url);
    cleanups.push(server.close, submitter.close);
    expect(await submitter.submit({ envelope, raw })).toMatchObject({ outcome: 'accepted' });
    expect(server.received[0]?.raw.equals(raw)).toBe(true);
  });

  it('gets a large message in small chunks that don’t block the event loop', async () => {
    const { submitter } = await rawServer();
    const raw = Buffer.from(large);
    let read = 0;
    const perTurn: number[] = [];
    raw.subarray = (start, end) => {
      const part = Buffer.prototype.subarray.call(raw, start, end);
      if (read === 0) {
        setImmediate(() => {
          perTurn.push(read);
          read = 0;
        });
      }
      read += part.length;
      return part;
    };
    expect(await submitter.submit({ envelope, raw })).toMatchObject({ outcome: 'accepted' });
    expect(Math.max(...perTurn)).toBeLessThanOrEqual(128 * 1024);
    expect(perTurn.reduce((sum, bytes) => sum + bytes)).toBe(raw.length);
  });

  it('gets a message over a slow link as long as data flows', async () => {
    const server = await startSmtpServer({ beforeChunk: () => new Promise((resolve) => setTimeout(resolve, 5)) });
    cleanups.push(server.close);
    const startedAt = performance.now();
    expect(await submitterFor(server.url, SLOW_LINK).submit({ envelope, raw: large })).toMatchObject({
      outcome: 'accepted',
    });
    expect(performance.now() - startedAt).toBeGreaterThan(1750);
    expect(server.received.length).toBe(1);
  });

  it('gets concurrent messages over no more connections than the pool size', async () => {
    const { server, submitter } = await rawServer(undefined, { query: '?pool=5' });
    const outcomes = await Promise.all(Array.from({ length: 60 }, () => submitter.submit({ envelope, raw: small })));
    expect(outcomes.every(({ outcome }) => outcome === 'accepted')).toBe(true);
    expect(server.messages.length).toBe(60);
    expect(server.connections()).toBeLessThanOrEqual(5);
  });

  it('reports rejected recipients while it accepts the message for the others', async () => {
    const { server, submitter } = await rawServer((point, line) =>
      point === 'RCPT' && line.includes('bad') ? { say: '550 5.1.1 <bad@example.org>: no such user\r\n' } : undefined,
    );
    const to = ['bob@example.org', 'bad@example.org', 'carol@example.org'];
    expect(await submitter.submit({ envelope: { ...envelope, to }, raw: small })).toMatchObject({
      outcome: 'accepted',
      refusedRecipients: [
        {
          address: 'bad@example.org',
          smtpCode: 550,
          enhancedCode: '5.1.1',
          response: '550 5.1.1 <bad@example.org>: no such user',
        },
      ],
    });
    expect(server.messages.length).toBe(1);
  });

  it.each([true, false])('reports every recipient if it rejects all of them (pipelining: %s)', async (isPipelining) => {
    const { server, submitter } = await rawServer(
      (point, line) => {
        if (point === 'RCPT') return { say: line.includes('bob') ? '550 5.1.1 no\r\n' : '451 4.7.1 later\r\n' };
        return point === 'DATA' ? { say: '554 5.5.1 no valid recipients\r\n' } : undefined;
      },
      { extensions: isPipelining ? ['PIPELINING'] : [] },
    );
    expect(
      await submitter.submit({ envelope: { ...envelope, to: ['bob@example.org', 'carol@example.org'] }, raw: small }),
    ).toMatchObject({
      outcome: 'refused',
      isTemporary: true,
      smtpCode: 451,
      refusedRecipients: [
        { address: 'bob@example.org', smtpCode: 550 },
        { address: 'carol@example.org', smtpCode: 451 },
      ],
    });
    expect(server.transfers()).toBe(0);
  });
});

describe('TLS', () => {
  it.each([
    ['STARTTLS if offered', { disabledCommands: [] }, ''],
    ['STARTTLS if required', { disabledCommands: [] }, '?tls=required'],
    ['smtps', { secure: true, scheme: 'smtps' as const }, ''],
  ])('is used: %s', async (_case, options, query) => {
    const server = await startSmtpServer({ ...options, query, user: 'u', password: 'p' });
    cleanups.push(server.close);
    expect(await submitterFor(server.url).submit({ envelope, raw: small })).toMatchObject({ outcome: 'accepted' });
    expect(server.received).toMatchObject([{ isTls: true, user: 'u' }]);
  });

  it('is not used with ?tls=off', async () => {
    const server = await startSmtpServer({ disabledCommands: [], query: '?tls=off' });
    cleanups.push(server.close);
    expect(await submitterFor(server.url).submit({ envelope, raw: small })).toMatchObject({ outcome: 'accepted' });
    expect(server.received).toMatchObject([{ isTls: false }]);
  });

  it.each([
    ['an untrusted certificate', { disabledCommands: [] }, '?verify=true'],
    ['an untrusted smtps certificate', { secure: true, scheme: 'smtps' as const }, '?verify=true'],
    ['a server without required STARTTLS', {}, '?tls=required'],
  ])('doesn’t send with %s', async (_case, options, query) => {
    const server = await startSmtpServer({ ...options, query });
    cleanups.push(server.close);
    expect(await submitterFor(server.url).submit({ envelope, raw: small })).toMatchObject({ outcome: 'refused' });
    expect(server.received).toEqual([]);
  });

  it('gives up on a handshake that never ends', async () => {
    const { server, submitter } = await rawServer(undefined, { extensions: ['STARTTLS'] }, SHORT_TIMEOUTS);
    expect(await submitter.submit({ envelope, raw: small })).toMatchObject({ outcome: 'refused' });
    expect(server.transfers()).toBe(0);
  });
});

describe('pooled connections', () => {
  it('carry the next message after a rejected one, without its recipients', async () => {
    let isRejecting = true;
    const { server, submitter } = await rawServer(
      (point) => (point === 'RCPT' && isRejecting ? { say: '550 5.1.1 no\r\n' } : undefined),
      { extensions: [] },
    );
    expect(await submitter.submit({ envelope, raw: small })).toMatchObject({ outcome: 'refused' });
    isRejecting = false;
    await pause();
    expect(await submitter.submit({ envelope, raw: small })).toMatchObject({ outcome: 'accepted' });
    expect(server.connections()).toBe(1);
    expect(server.commands.filter((line) => line === 'RSET').length).toBe(1);
  });

  it('are replaced after a server restart', async () => {
    const { server, submitter } = await rawServer();
    await Promise.all([1, 2, 3, 4].map(() => submitter.submit({ envelope, raw: small })));
    server.dropAll();
    const outcomes = await Promise.all([1, 2, 3, 4].map(() => submitter.submit({ envelope, raw: small })));
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(Array(4).fill('accepted'));
    expect(server.messages.length).toBe(8);
  });

  it.each<SmtpAction>(['drop', 'reset', { say: '421 4.4.2 timeout exceeded\r\n', thenDrop: true }])(
    'that answer MAIL with %j are replaced before any data is sent',
    async (action) => {
      let isOld = false;
      const script: SmtpScript = (point, _line, { connection }) =>
        isOld && connection === 1 && point === 'MAIL' ? action : undefined;
      const { server, submitter } = await rawServer(script);
      await submitter.submit({ envelope, raw: small });
      isOld = true;
      await pause();
      expect(await submitter.submit({ envelope, raw: small })).toMatchObject({ outcome: 'accepted' });
      expect(server.messages.length).toBe(2);
      expect(server.transfers()).toBe(2);
    },
  );

  it.each<SmtpAction>(['drop', 'hang'])(
    'that %s after the final dot leave the message uncertain, without a second attempt',
    async (action) => {
      let isOld = false;
      const { server, submitter } = await rawServer(
        (point) => (isOld && point === 'DOT' ? action : undefined),
        {},
        SHORT_TIMEOUTS,
      );
      await submitter.submit({ envelope, raw: small });
      isOld = true;
      await pause();
      expect(await submitter.submit({ envelope, raw: small })).toMatchObject({ outcome: 'uncertain' });
      await expect.poll(() => server.messages.length).toBe(2);
      await pause();
      expect(server.messages.length).toBe(2);
    },
  );

  it.each<[SmtpPoint, SmtpAction, Buffer]>([
    ['DOT', 'hang', small],
    ['DOT', { say: 'what?\r\n' }, small],
    ['DOT', { say: '354 more\r\n' }, small],
    ['RCPT', { say: 'what?\r\n' }, small],
    ['MID-DATA', 'hang', large],
  ])('that failed at %s (%j) aren’t used again', async (point, action, raw) => {
    const script: SmtpScript = (now, _line, { connection }) => (connection === 1 && now === point ? action : undefined);
    const { server, submitter } = await rawServer(script, {}, { stallMs: 250, replyMs: 250, setupMs: 500 });
    expect((await submitter.submit({ envelope, raw })).outcome).not.toBe('accepted');
    await pause();
    expect(await submitter.submit({ envelope, raw: small })).toMatchObject({ outcome: 'accepted' });
    expect(server.connections()).toBe(2);
  });

  it('that sent a surplus reply aren’t used again', async () => {
    const script: SmtpScript = (point, _line, { connection }) =>
      connection === 1 && point === 'DOT' ? { say: '250 Ok: queued as ABC\r\n250 and again\r\n' } : undefined;
    const { server, submitter } = await rawServer(script, { query: '?pool=1' });
    const outcomes = await Promise.all([1, 2].map(() => submitter.submit({ envelope, raw: small })));
    expect(outcomes).toMatchObject([
      { outcome: 'accepted', queueId: 'ABC' },
      { outcome: 'accepted', queueId: '4Rk2Vd0xQzLm' },
    ]);
    expect(server.messages.length).toBe(2);
  });

  it('are closed when idle', async () => {
    const { server, submitter } = await rawServer(undefined, {}, { idleMs: 50 });
    await submitter.submit({ envelope, raw: small });
    await expect.poll(() => server.open()).toBe(0);
    expect(server.commands.at(-1)).toBe('QUIT');
  });

  it('are opened again when the server is back', async () => {
    const first = await startSmtpServer();
    const submitter = submitterFor(first.url);
    expect(await submitter.submit({ envelope, raw: small })).toMatchObject({ outcome: 'accepted' });
    await first.close();
    expect(await submitter.submit({ envelope, raw: small })).toMatchObject({ outcome: 'refused', isTemporary: true });
    const second = await startSmtpServer({ port: first.port });
    cleanups.push(second.close);
    expect(await submitter.submit({ envelope, raw: small })).toMatchObject({ outcome: 'accepted' });
    expect(second.received.length).toBe(1);
  });
});

describe('close', () => {
  it('waits for running submissions, rejects new ones and closes every connection', async () => {
    const { server, submitter } = await rawServer();
    const running = submitter.submit({ envelope, raw: small });
    const closed = submitter.close();
    expect(await submitter.submit({ envelope, raw: small })).toMatchObject({ outcome: 'refused', isTemporary: true });
    expect(await running).toMatchObject({ outcome: 'accepted' });
    await closed;
    await expect.poll(() => server.open()).toBe(0);
    expect(server.messages.length).toBe(1);
  });

  it('doesn’t wait for a server that ignores QUIT', async () => {
    const { server, submitter } = await rawServer(failAt('QUIT', 'hang'));
    await submitter.submit({ envelope, raw: small });
    await submitter.close();
    await expect.poll(() => server.open(), { timeout: 5000 }).toBe(0);
  });
});

async function rawServer(
  script?: SmtpScript,
  options?: Parameters<typeof startRawSmtpServer>[1],
  timeouts?: Partial<SubmitTimeouts>,
) {
  const server = await startRawSmtpServer(script, options);
  cleanups.push(server.close);
  return { server, submitter: submitterFor(server.url, timeouts) };
}

function submitterFor(url: string, timeouts?: Partial<SubmitTimeouts>): SmtpSubmitter {
  const submitter = createSmtpSubmitter(url, { timeouts: { ...LONG_TIMEOUTS, ...timeouts } });
  cleanups.push(submitter.close);
  return submitter;
}

function linesOf(bytes: number): Buffer {
  const line = `${'x'.repeat(74)}\r\n`;
  return Buffer.alloc(Math.floor(bytes / line.length) * line.length, line);
}

// Long enough for a second attempt to be noticed.
function pause() {
  return new Promise((resolve) => setTimeout(resolve, 60));
}
