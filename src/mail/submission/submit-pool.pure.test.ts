import { describe, expect, it } from 'vitest';
import { failAt, type SmtpAction, type SmtpPoint, type SmtpScript } from '@/test/servers/raw-smtp-server';
import { startSmtpServer } from '@/test/servers/smtp-server';
import {
  closeAfterTest,
  envelope,
  large,
  pause,
  rawServer,
  SHORT_TIMEOUTS,
  small,
  submitterFor,
} from '@/test/smtp-submission';

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
    closeAfterTest(second.close);
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
