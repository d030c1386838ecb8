import { describe, expect, it } from 'vitest';
import { startSmtpServer } from '@/test/servers/smtp-server';
import {
  closeAfterTest,
  envelope,
  large,
  linesOf,
  rawServer,
  SHORT_TIMEOUTS,
  small,
  submitterFor,
} from '@/test/smtp-submission';
import { createSmtpSubmitter, type SubmitTimeouts } from './submit';

const SLOW_LINK: Partial<SubmitTimeouts> = { setupMs: 250, stallMs: 1500, replyMs: 250 };

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
    closeAfterTest(server.close, submitter.close);
    expect(await submitter.submit({ envelope, raw: small })).toMatchObject({ outcome: 'accepted' });
    expect(server.received).toMatchObject([{ user: 'us/er', raw: small }]);
  });

  it('rejects a wrong password permanently', async () => {
    const server = await startSmtpServer({ user: 'user', password: 'right' });
    const submitter = createSmtpSubmitter(server.url.replace('right', 'wrong'));
    closeAfterTest(server.close, submitter.close);
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
    closeAfterTest(server.close, submitter.close);
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
    closeAfterTest(server.close);
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
    closeAfterTest(server.close);
    expect(await submitterFor(server.url).submit({ envelope, raw: small })).toMatchObject({ outcome: 'accepted' });
    expect(server.received).toMatchObject([{ isTls: true, user: 'u' }]);
  });

  it('is not used with ?tls=off', async () => {
    const server = await startSmtpServer({ disabledCommands: [], query: '?tls=off' });
    closeAfterTest(server.close);
    expect(await submitterFor(server.url).submit({ envelope, raw: small })).toMatchObject({ outcome: 'accepted' });
    expect(server.received).toMatchObject([{ isTls: false }]);
  });

  it.each([
    ['an untrusted certificate', { disabledCommands: [] }, '?verify=true'],
    ['an untrusted smtps certificate', { secure: true, scheme: 'smtps' as const }, '?verify=true'],
    ['a server without required STARTTLS', {}, '?tls=required'],
  ])('doesn’t send with %s', async (_case, options, query) => {
    const server = await startSmtpServer({ ...options, query });
    closeAfterTest(server.close);
    expect(await submitterFor(server.url).submit({ envelope, raw: small })).toMatchObject({ outcome: 'refused' });
    expect(server.received).toEqual([]);
  });

  it('gives up on a handshake that never ends', async () => {
    const { server, submitter } = await rawServer(undefined, { extensions: ['STARTTLS'] }, SHORT_TIMEOUTS);
    expect(await submitter.submit({ envelope, raw: small })).toMatchObject({ outcome: 'refused' });
    expect(server.transfers()).toBe(0);
  });
});
