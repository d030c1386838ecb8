import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import {
  failAt,
  type RawSmtpServer,
  type SmtpAction,
  type SmtpPoint,
  type SmtpScript,
  startRawSmtpServer,
} from '@/test/servers/raw-smtp-server';
import {
  closeAfterTest,
  envelope,
  LONG_TIMEOUTS,
  large,
  pause,
  rawServer,
  SHORT_TIMEOUTS,
  small,
  submitterFor,
} from '@/test/smtp-submission';
import { createSmtpSubmitter, type SubmitTimeouts } from './submit';

const BEFORE_DATA: SmtpPoint[] = ['BANNER', 'EHLO', 'AUTH', 'MAIL', 'RCPT', 'DATA'];
const SILENT: SmtpAction[] = ['hang', 'drop', 'reset'];

describe.each([true, false])('a failure before the data (pipelining: %s)', (isPipelining) => {
  const extensions = [...(isPipelining ? ['PIPELINING'] : []), 'AUTH PLAIN'];

  it.each(BEFORE_DATA.flatMap((point) => SILENT.map((action) => [action, point] as const)))(
    '%s at %s means not sent, temporarily',
    async (action, point) => {
      const { server, submitter } = await rawServer(
        failAt(point, action),
        { extensions, credentials: 'u:p@' },
        timeoutsFor(action),
      );
      expect(await submitter.submit({ envelope, raw: small })).toMatchObject({
        outcome: 'refused',
        cause: 'not_submitted',
        isTemporary: true,
        smtpCode: null,
      });
      await expectNothingSent(server);
    },
  );

  it.each(BEFORE_DATA.flatMap((point) => [421, 451, 550, 554].map((code) => [code, point] as const)))(
    '%i at %s means not sent, with the server’s reply',
    async (code, point) => {
      const reply = `${code} ${String(code)[0]}.7.1 go away`;
      const script: SmtpScript = (now) =>
        now === point || (point === 'EHLO' && now === 'HELO')
          ? { say: `${reply}\r\n`, thenDrop: code === 421 }
          : undefined;
      const { server, submitter } = await rawServer(script, { extensions, credentials: 'u:p@' });
      expect(await submitter.submit({ envelope, raw: small })).toMatchObject({
        outcome: 'refused',
        cause: 'rejected',
        isTemporary: code < 500,
        smtpCode: code,
        enhancedCode: `${String(code)[0]}.7.1`,
        response: reply,
      });
      await expectNothingSent(server);
    },
  );
});

describe('a server that doesn’t speak SMTP', () => {
  it('connection refused means not sent, temporarily', async () => {
    const server = await startRawSmtpServer();
    await server.close();
    const submitter = submitterFor(server.url);
    expect(await submitter.submit({ envelope, raw: small })).toMatchObject({
      outcome: 'refused',
      isTemporary: true,
      smtpCode: null,
    });
  });

  it.each([
    ['garbage', { say: 'SSH-2.0-OpenSSH_9.2\r\n' }],
    ['HTTP', { say: 'HTTP/1.1 400 Bad Request\r\n\r\n' }],
    ['binary garbage', { say: '\0\x01\x02\xff\xfe\r\n\r\n\0' }],
    ['a line that never ends', { say: '220 '.padEnd(200_000, 'x') }],
    ['a banner that never ends', { say: '220-welcome\r\n'.repeat(20_000) }],
    ['half a banner', { say: '220 raw.te' }],
    ['half a banner, then a disconnect', { say: '220 raw.te', thenDrop: true }],
  ])('a greeting of %s means not sent', async (_case, action) => {
    const { server, submitter } = await rawServer(failAt('BANNER', action), {}, SHORT_TIMEOUTS);
    expect(await submitter.submit({ envelope, raw: small })).toMatchObject({ outcome: 'refused', smtpCode: null });
    await expectNothingSent(server);
  });

  it('gives up on a server that trickles its banner', async () => {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
      const timer = setInterval(() => socket.write('220-still here\r\n'), 20);
      socket.on('close', () => clearInterval(timer));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    closeAfterTest(async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const outcome = await submitterFor(`smtp://127.0.0.1:${port}`, SHORT_TIMEOUTS).submit({ envelope, raw: small });
    expect(outcome).toMatchObject({ outcome: 'refused', isTemporary: true });
  });

  it('waits for a free connection no longer than for the server', async () => {
    const { server, submitter } = await rawServer(failAt('DATA', 'hang'), { query: '?pool=1' }, SHORT_TIMEOUTS);
    const outcomes = await Promise.all([1, 2, 3].map(() => submitter.submit({ envelope, raw: small })));
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['refused', 'refused', 'refused']);
    await expectNothingSent(server);
  });
});

describe('a server that asks for the data of a rejected message', () => {
  it.each<SmtpPoint>(['MAIL', 'RCPT'])('gets none of it after 550 at %s', async (rejecting) => {
    const { server, submitter } = await rawServer((point) => {
      if (point === rejecting) return { say: '550 5.7.1 no\r\n' };
      return point === 'DATA' ? { say: '354 go on\r\n' } : undefined;
    });
    expect(await submitter.submit({ envelope, raw: small })).toMatchObject({ outcome: 'refused', smtpCode: 550 });
    await pause();
    expect(server.messages.join('').trim()).toBe('');
  });
});

describe('a failure during the data', () => {
  it.each(SILENT)('%s before all data is sent means not sent', async (action) => {
    const { server, submitter } = await rawServer(failAt('MID-DATA', action), {}, timeoutsFor(action));
    expect(await submitter.submit({ envelope, raw: large })).toMatchObject({
      outcome: 'refused',
      isTemporary: true,
      smtpCode: null,
    });
    expect(server.messages).toEqual([]);
    expect(server.transfers()).toBe(1);
  });

  it('552 during the data means not sent', async () => {
    const { server, submitter } = await rawServer(failAt('MID-DATA', { say: '552 5.3.4 too big\r\n' }));
    const outcome = await submitter.submit({ envelope, raw: large });
    expect(outcome.outcome).toBe('refused');
    expect(server.messages).toEqual([]);
    expect(server.transfers()).toBe(1);
  });

  it('a message over the announced SIZE is not sent, permanently', async () => {
    const { server, submitter } = await rawServer(undefined, { extensions: ['SIZE 10'] });
    expect(await submitter.submit({ envelope, raw: small })).toMatchObject({ outcome: 'refused', isTemporary: false });
    expect(server.transfers()).toBe(0);
  });
});

describe('a failure after the final dot', () => {
  it.each([
    ...SILENT,
    { say: 'what?\r\n' },
    { say: '354 more\r\n' },
    { say: '25', thenDrop: true },
    { say: '250-almost\r\n', thenDrop: true },
    { say: '\0\r\n', thenDrop: true },
  ])('%j leaves the message uncertain and doesn’t send it a second time', async (action) => {
    const { server, submitter } = await rawServer(failAt('DOT', action), {}, timeoutsFor(action));
    expect(await submitter.submit({ envelope, raw: small })).toMatchObject({
      outcome: 'uncertain',
      reason: expect.stringMatching(/./),
    });
    await submitter.close();
    await pause();
    expect(server.messages.length).toBe(1);
    expect(server.transfers()).toBe(1);
  });

  it.each([421, 451, 452, 550, 554, 571])('%i means not sent', async (code) => {
    const { server, submitter } = await rawServer(failAt('DOT', { say: `${code} no\r\n`, thenDrop: code === 421 }));
    expect(await submitter.submit({ envelope, raw: small })).toMatchObject({
      outcome: 'refused',
      isTemporary: code < 500,
      smtpCode: code,
    });
    expect(server.messages.length).toBe(1);
  });

  it.each([
    ['250 2.0.0 Ok: queued as 4Rk2Vd0xQzLm', '4Rk2Vd0xQzLm'],
    ['250 2.0.0 Ok: queued as 0A1B2C3D4E', '0A1B2C3D4E'],
    ['250 OK id=1sABcD-0000000abcd-XyZ0', '1sABcD-0000000abcd-XyZ0'],
    ['250 2.0.0 4A1B2c3d012345 Message accepted for delivery', '4A1B2c3d012345'],
    ['250 thanks', null],
    ['250', null],
  ])('%j means accepted with the queue id %s', async (reply, queueId) => {
    const { submitter } = await rawServer(failAt('DOT', { say: `${reply}\r\n` }));
    expect(await submitter.submit({ envelope, raw: small })).toMatchObject({
      outcome: 'accepted',
      queueId,
      response: reply,
    });
  });

  it('reduces the server’s reply to one clean line of at most 1000 characters', async () => {
    const { submitter } = await rawServer(
      failAt('DOT', { say: `550-5.7.1 a\tb\x1b[31m\r\n550 5.7.1 ${'c'.repeat(3000)}\r\n` }),
    );
    const outcome = await submitter.submit({ envelope, raw: small });
    if (outcome.outcome !== 'refused') throw new Error(outcome.outcome);
    expect(outcome).toMatchObject({ smtpCode: 550, enhancedCode: '5.7.1' });
    expect(outcome.response.length).toBe(1000);
    expect(outcome.response).toMatch(/^550-5\.7\.1 a b \[31m 550 5\.7\.1 c+$/);
  });
});

describe('the default timeouts', () => {
  it('end a submission within 15 s wherever the server hangs', async () => {
    const startedAt = performance.now();
    const hangs: [SmtpPoint, Buffer, string][] = [
      ['BANNER', small, 'refused'],
      ['DATA', small, 'refused'],
      ['MID-DATA', large, 'refused'],
      ['DOT', small, 'uncertain'],
    ];
    await Promise.all(
      hangs.map(async ([point, raw, expected]) => {
        const server = await startRawSmtpServer(failAt(point, 'hang'));
        const submitter = createSmtpSubmitter(server.url);
        closeAfterTest(server.close, submitter.close);
        expect((await submitter.submit({ envelope, raw })).outcome).toBe(expected);
      }),
    );
    expect(performance.now() - startedAt).toBeLessThan(15_000);
  });
});

function timeoutsFor(action: SmtpAction): Partial<SubmitTimeouts> {
  return action === 'hang' ? SHORT_TIMEOUTS : LONG_TIMEOUTS;
}

async function expectNothingSent(server: RawSmtpServer) {
  await pause();
  expect(server.transfers()).toBe(0);
  expect(server.messages).toEqual([]);
}
