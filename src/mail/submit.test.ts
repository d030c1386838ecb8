import { afterEach, describe, expect, it } from 'vitest';
import { type RawSmtpServer, type SmtpAct, type SmtpPoint, type SmtpScript, startRawSmtpServer } from '@/test/raw-smtp-server';
import { startSmtpServer } from '@/test/smtp-server';
import { createSmtpSubmitter, type SmtpSubmitter, type SubmitTimeouts } from './submit';

const PATIENT: SubmitTimeouts = { setupMs: 10_000, stallMs: 10_000, verdictMs: 10_000, idleMs: 10_000 };
const SHORT: Partial<SubmitTimeouts> = { setupMs: 250, stallMs: 250, verdictMs: 250 };
const envelope = { from: 'ann@example.com', to: ['bob@example.org'] };
const small = Buffer.from('Subject: hi\r\n\r\n.\r\n..\r\n.foo\r\nbye\r\n');
// More than the buffers of a socket take, so that the client sees it stall.
const large = linesOf(40 * 1024 * 1024);

const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

describe('a server that works', () => {
  it('is handed the message once, with its queue id in the outcome', async () => {
    const { server, submitter } = await rawServer();
    expect(await submitter.submit({ envelope, raw: small })).toEqual({
      outcome: 'accepted',
      queueId: '4Rk2Vd0xQzLm',
      response: '250 2.0.0 Ok: queued as 4Rk2Vd0xQzLm',
      refusedRecipients: [],
    });
    expect(server.messages).toEqual([small.toString()]);
  });

  it('gets a user and password from the URL', async () => {
    const server = await startSmtpServer({ user: 'us/er', password: 'p@ss:w%rd' });
    const submitter = createSmtpSubmitter(server.url);
    cleanups.push(server.close, submitter.close);
    expect(await submitter.submit({ envelope, raw: small })).toMatchObject({ outcome: 'accepted' });
    expect(server.received).toMatchObject([{ user: 'us/er', raw: small }]);
  });

  it('is refused for a wrong password, permanently', async () => {
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

  it('takes 50 MB byte for byte', async () => {
    const raw = linesOf(50 * 1024 * 1024);
    const server = await startSmtpServer();
    const submitter = createSmtpSubmitter(server.url);
    cleanups.push(server.close, submitter.close);
    expect(await submitter.submit({ envelope, raw })).toMatchObject({ outcome: 'accepted' });
    expect(server.received[0]?.raw.equals(raw)).toBe(true);
  });

  it('serves many at once over no more connections than the pool has', async () => {
    const { server, submitter } = await rawServer(undefined, { query: '?pool=5' });
    const outcomes = await Promise.all(Array.from({ length: 60 }, () => submitter.submit({ envelope, raw: small })));
    expect(outcomes.every(({ outcome }) => outcome === 'accepted')).toBe(true);
    expect(server.messages.length).toBe(60);
    expect(server.connections()).toBeLessThanOrEqual(5);
  });

  it('names the recipients it refused while it takes the message for the others', async () => {
    const { server, submitter } = await rawServer((point, line) =>
      point === 'RCPT' && line.includes('bad') ? { say: '550 5.1.1 <bad@example.org>: no such user\r\n' } : undefined,
    );
    const to = ['bob@example.org', 'bad@example.org', 'carol@example.org'];
    expect(await submitter.submit({ envelope: { ...envelope, to }, raw: small })).toMatchObject({
      outcome: 'accepted',
      refusedRecipients: [
        { address: 'bad@example.org', smtpCode: 550, enhancedCode: '5.1.1', response: '550 5.1.1 <bad@example.org>: no such user' },
      ],
    });
    expect(server.messages.length).toBe(1);
  });

  it.each([true, false])('hears of every refused recipient where all are refused (pipelining: %s)', async (isPipelining) => {
    const { server, submitter } = await rawServer(
      (point, line) => {
        if (point === 'RCPT') return { say: line.includes('bob') ? '550 5.1.1 no\r\n' : '451 4.7.1 later\r\n' };
        return point === 'DATA' ? { say: '554 5.5.1 no valid recipients\r\n' } : undefined;
      },
      { extensions: isPipelining ? ['PIPELINING'] : [] },
    );
    expect(await submitter.submit({ envelope: { ...envelope, to: ['bob@example.org', 'carol@example.org'] }, raw: small })).toMatchObject({
      outcome: 'refused',
      isTemporary: true,
      smtpCode: 451,
      refusedRecipients: [{ address: 'bob@example.org', smtpCode: 550 }, { address: 'carol@example.org', smtpCode: 451 }],
    });
    expect(server.transfers()).toBe(0);
  });
});

describe('TLS', () => {
  it.each([
    ['STARTTLS where it is offered', { disabledCommands: [] }, ''],
    ['STARTTLS where it is required', { disabledCommands: [] }, '?tls=required'],
    ['smtps', { secure: true, scheme: 'smtps' as const }, ''],
  ])('is used: %s', async (_case, options, query) => {
    const server = await startSmtpServer({ ...options, query, user: 'u', password: 'p' });
    cleanups.push(server.close);
    expect(await submitterFor(server.url).submit({ envelope, raw: small })).toMatchObject({ outcome: 'accepted' });
    expect(server.received).toMatchObject([{ isTls: true, user: 'u' }]);
  });

  it('is not used where the URL says off', async () => {
    const server = await startSmtpServer({ disabledCommands: [], query: '?tls=off' });
    cleanups.push(server.close);
    expect(await submitterFor(server.url).submit({ envelope, raw: small })).toMatchObject({ outcome: 'accepted' });
    expect(server.received).toMatchObject([{ isTls: false }]);
  });

  it.each([
    ['an untrusted certificate', { disabledCommands: [] }, '?verify=true'],
    ['an untrusted certificate of smtps', { secure: true, scheme: 'smtps' as const }, '?verify=true'],
    ['no STARTTLS where it is required', {}, '?tls=required'],
  ])('refuses to send over %s', async (_case, options, query) => {
    const server = await startSmtpServer({ ...options, query });
    cleanups.push(server.close);
    expect(await submitterFor(server.url).submit({ envelope, raw: small })).toMatchObject({ outcome: 'refused' });
    expect(server.received).toEqual([]);
  });

  it('bounds the wait for a handshake that never ends', async () => {
    const { server, submitter } = await rawServer(undefined, { extensions: ['STARTTLS'] }, SHORT);
    expect(await submitter.submit({ envelope, raw: small })).toMatchObject({ outcome: 'refused' });
    expect(server.transfers()).toBe(0);
  });
});

const BEFORE_DATA: SmtpPoint[] = ['BANNER', 'EHLO', 'AUTH', 'MAIL', 'RCPT', 'DATA'];
const SILENT: SmtpAct[] = ['hang', 'drop', 'reset'];

describe.each([true, false])('a fault before the data (pipelining: %s)', (isPipelining) => {
  const extensions = [...(isPipelining ? ['PIPELINING'] : []), 'AUTH PLAIN'];

  it.each(BEFORE_DATA.flatMap((point) => SILENT.map((act) => [act, point] as const)))('%s at %s is a definite, temporary refusal', async (act, point) => {
    const { server, submitter } = await rawServer(at(point, act), { extensions, credentials: 'u:p@' }, patienceFor(act));
    expect(await submitter.submit({ envelope, raw: small })).toMatchObject({ outcome: 'refused', isTemporary: true, smtpCode: null });
    await expectNothingSent(server);
  });

  it.each(BEFORE_DATA.flatMap((point) => [421, 451, 550, 554].map((code) => [code, point] as const)))(
    '%i at %s is a definite refusal in the words of the server',
    async (code, point) => {
      const reply = `${code} ${String(code)[0]}.7.1 go away`;
      const script: SmtpScript = (now) => (now === point || (point === 'EHLO' && now === 'HELO') ? { say: `${reply}\r\n`, thenDrop: code === 421 } : undefined);
      const { server, submitter } = await rawServer(script, { extensions, credentials: 'u:p@' });
      expect(await submitter.submit({ envelope, raw: small })).toMatchObject({
        outcome: 'refused',
        isTemporary: code < 500,
        smtpCode: code,
        enhancedCode: `${String(code)[0]}.7.1`,
        response: reply,
      });
      await expectNothingSent(server);
    },
  );
});

describe('a server that cannot be talked to', () => {
  it('refuses connections: a definite, temporary refusal', async () => {
    const server = await startRawSmtpServer();
    await server.close();
    const submitter = submitterFor(server.url);
    expect(await submitter.submit({ envelope, raw: small })).toMatchObject({ outcome: 'refused', isTemporary: true, smtpCode: null });
  });

  it.each([
    ['garbage', { say: 'SSH-2.0-OpenSSH_9.2\r\n' }],
    ['HTTP', { say: 'HTTP/1.1 400 Bad Request\r\n\r\n' }],
    ['binary garbage', { say: '\0\x01\x02\xff\xfe\r\n\r\n\0' }],
    ['a line that never ends', { say: '220 '.padEnd(200_000, 'x') }],
    ['a banner that never ends', { say: '220-welcome\r\n'.repeat(20_000) }],
    ['half a banner', { say: '220 raw.te' }],
    ['half a banner, then a drop', { say: '220 raw.te', thenDrop: true }],
  ])('greets with %s: a definite refusal', async (_case, act) => {
    const { server, submitter } = await rawServer(at('BANNER', act), {}, SHORT);
    expect(await submitter.submit({ envelope, raw: small })).toMatchObject({ outcome: 'refused', smtpCode: null });
    await expectNothingSent(server);
  });

  it('trickles its banner: the wait is bounded all the same', async () => {
    let timer: NodeJS.Timeout | undefined;
    const server = await startRawSmtpServer(at('BANNER', 'hang'));
    const trickler = (await import('node:net')).createServer((socket) => {
      socket.on('error', () => {});
      timer = setInterval(() => socket.write('220-still here\r\n'), 20);
    });
    await new Promise<void>((resolve) => trickler.listen(0, '127.0.0.1', resolve));
    cleanups.push(server.close, () => new Promise((resolve) => trickler.close(() => resolve())), async () => clearInterval(timer));
    const address = trickler.address();
    const submitter = submitterFor(`smtp://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, SHORT);
    const startedAt = performance.now();
    expect(await submitter.submit({ envelope, raw: small })).toMatchObject({ outcome: 'refused', isTemporary: true });
    expect(performance.now() - startedAt).toBeLessThan(5000);
  });

  it('waits for a free connection no longer than for a server', async () => {
    const { server, submitter } = await rawServer(at('DATA', 'hang'), { query: '?pool=1' }, SHORT);
    const outcomes = await Promise.all([1, 2, 3].map(() => submitter.submit({ envelope, raw: small })));
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['refused', 'refused', 'refused']);
    await expectNothingSent(server);
  });
});

describe('a server that asks for the data of a message it refused', () => {
  it.each<SmtpPoint>(['MAIL', 'RCPT'])('gets none of it after 550 at %s', async (refusing) => {
    const { server, submitter } = await rawServer((point) => {
      if (point === refusing) return { say: '550 5.7.1 no\r\n' };
      return point === 'DATA' ? { say: '354 go on\r\n' } : undefined;
    });
    expect(await submitter.submit({ envelope, raw: small })).toMatchObject({ outcome: 'refused', smtpCode: 550 });
    await later();
    expect(server.messages.join('').trim()).toBe('');
  });
});

describe('a fault in the data', () => {
  it.each(SILENT)('%s before all of it could be sent is a definite refusal', async (act) => {
    const { server, submitter } = await rawServer(at('MID-DATA', act), {}, patienceFor(act));
    expect(await submitter.submit({ envelope, raw: large })).toMatchObject({ outcome: 'refused', isTemporary: true, smtpCode: null });
    expect(server.messages).toEqual([]);
    expect(server.transfers()).toBe(1);
  });

  it('552 in the middle of it is a definite refusal', async () => {
    const { server, submitter } = await rawServer(at('MID-DATA', { say: '552 5.3.4 too big\r\n' }));
    const outcome = await submitter.submit({ envelope, raw: large });
    expect(outcome.outcome).toBe('refused');
    expect(server.messages).toEqual([]);
    expect(server.transfers()).toBe(1);
  });

  it('an announced SIZE that it exceeds is a definite, permanent refusal', async () => {
    const { server, submitter } = await rawServer(undefined, { extensions: ['SIZE 10'] });
    expect(await submitter.submit({ envelope, raw: small })).toMatchObject({ outcome: 'refused', isTemporary: false });
    expect(server.transfers()).toBe(0);
  });
});

describe('a fault after the final dot', () => {
  it.each([...SILENT, { say: 'what?\r\n' }, { say: '354 more\r\n' }, { say: '25', thenDrop: true }, { say: '250-almost\r\n', thenDrop: true }, { say: '\0\r\n', thenDrop: true }])(
    '%j leaves it uncertain, and the message is sent no second time',
    async (act) => {
      const { server, submitter } = await rawServer(at('DOT', act), {}, patienceFor(act));
      expect(await submitter.submit({ envelope, raw: small })).toMatchObject({ outcome: 'uncertain', reason: expect.stringMatching(/./) });
      await submitter.close();
      await later();
      expect(server.messages.length).toBe(1);
      expect(server.transfers()).toBe(1);
    },
  );

  it.each([421, 451, 452, 550, 554])('%i is a definite refusal', async (code) => {
    const { server, submitter } = await rawServer(at('DOT', { say: `${code} no\r\n`, thenDrop: code === 421 }));
    expect(await submitter.submit({ envelope, raw: small })).toMatchObject({ outcome: 'refused', isTemporary: code < 500, smtpCode: code });
    expect(server.messages.length).toBe(1);
  });

  it.each([
    ['250 2.0.0 Ok: queued as 4Rk2Vd0xQzLm', '4Rk2Vd0xQzLm'],
    ['250 2.0.0 Ok: queued as 0A1B2C3D4E', '0A1B2C3D4E'],
    ['250 OK id=1sABcD-0000000abcd-XyZ0', '1sABcD-0000000abcd-XyZ0'],
    ['250 2.0.0 4A1B2c3d012345 Message accepted for delivery', '4A1B2c3d012345'],
    ['250 thanks', null],
    ['250', null],
  ])('%j is acceptance with the queue id %s', async (reply, queueId) => {
    const { submitter } = await rawServer(at('DOT', { say: `${reply}\r\n` }));
    expect(await submitter.submit({ envelope, raw: small })).toMatchObject({ outcome: 'accepted', queueId, response: reply });
  });

  it('keeps the words of the server to one clean line of at most 1000 characters', async () => {
    const { submitter } = await rawServer(at('DOT', { say: `550-5.7.1 a\tb\x1b[31m\r\n550 5.7.1 ${'c'.repeat(3000)}\r\n` }));
    const outcome = await submitter.submit({ envelope, raw: small });
    if (outcome.outcome !== 'refused') throw new Error(outcome.outcome);
    expect(outcome).toMatchObject({ smtpCode: 550, enhancedCode: '5.7.1' });
    expect(outcome.response.length).toBe(1000);
    expect(outcome.response).toMatch(/^550-5\.7\.1 a b \[31m 550 5\.7\.1 c+$/);
  });
});

describe('kept connections', () => {
  it('carry the next message after a refusal, without its recipients', async () => {
    let isRefusing = true;
    const { server, submitter } = await rawServer((point) => (point === 'RCPT' && isRefusing ? { say: '550 5.1.1 no\r\n' } : undefined), { extensions: [] });
    expect(await submitter.submit({ envelope, raw: small })).toMatchObject({ outcome: 'refused' });
    isRefusing = false;
    await later();
    expect(await submitter.submit({ envelope, raw: small })).toMatchObject({ outcome: 'accepted' });
    expect(server.connections()).toBe(1);
    expect(server.commands.filter((line) => line === 'RSET').length).toBe(1);
  });

  it('are replaced when the server was restarted', async () => {
    const { server, submitter } = await rawServer();
    await Promise.all([1, 2, 3, 4].map(() => submitter.submit({ envelope, raw: small })));
    server.dropAll();
    const outcomes = await Promise.all([1, 2, 3, 4].map(() => submitter.submit({ envelope, raw: small })));
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(Array(4).fill('accepted'));
    expect(server.messages.length).toBe(8);
  });

  it.each<SmtpAct>(['drop', 'reset', { say: '421 4.4.2 timeout exceeded\r\n', thenDrop: true }])(
    'that answer MAIL with %j are replaced before any data has gone out',
    async (act) => {
      let isOld = false;
      const script: SmtpScript = (point, _line, { connection }) => (isOld && connection === 1 && point === 'MAIL' ? act : undefined);
      const { server, submitter } = await rawServer(script);
      await submitter.submit({ envelope, raw: small });
      isOld = true;
      await later();
      expect(await submitter.submit({ envelope, raw: small })).toMatchObject({ outcome: 'accepted' });
      expect(server.messages.length).toBe(2);
      expect(server.transfers()).toBe(2);
    },
  );

  it.each<SmtpAct>(['drop', 'hang'])('that %s after the final dot leave it uncertain, with no second try', async (act) => {
    let isOld = false;
    const { server, submitter } = await rawServer((point) => (isOld && point === 'DOT' ? act : undefined), {}, SHORT);
    await submitter.submit({ envelope, raw: small });
    isOld = true;
    await later();
    expect(await submitter.submit({ envelope, raw: small })).toMatchObject({ outcome: 'uncertain' });
    await later();
    expect(server.messages.length).toBe(2);
  });

  it('are let go once they are idle', async () => {
    const { server, submitter } = await rawServer(undefined, {}, { idleMs: 50 });
    await submitter.submit({ envelope, raw: small });
    await expect.poll(() => server.open()).toBe(0);
    expect(server.commands.at(-1)).toBe('QUIT');
  });

  it('come back by themselves when the server does', async () => {
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
  it('waits for what is under way, refuses what is new and leaves no connection', async () => {
    const { server, submitter } = await rawServer();
    const underWay = submitter.submit({ envelope, raw: small });
    const closed = submitter.close();
    expect(await submitter.submit({ envelope, raw: small })).toMatchObject({ outcome: 'refused', isTemporary: true });
    expect(await underWay).toMatchObject({ outcome: 'accepted' });
    await closed;
    await expect.poll(() => server.open()).toBe(0);
    expect(server.messages.length).toBe(1);
  });

  it('does not wait for a server that ignores QUIT', async () => {
    const { server, submitter } = await rawServer(at('QUIT', 'hang'));
    await submitter.submit({ envelope, raw: small });
    await submitter.close();
    await expect.poll(() => server.open(), { timeout: 5000 }).toBe(0);
  });
});

describe('the default patience', () => {
  it('answers within 15 s wherever the server hangs', async () => {
    const startedAt = performance.now();
    const hangs: [SmtpPoint, Buffer, string][] = [
      ['BANNER', small, 'refused'],
      ['DATA', small, 'refused'],
      ['MID-DATA', large, 'refused'],
      ['DOT', small, 'uncertain'],
    ];
    await Promise.all(
      hangs.map(async ([point, raw, expected]) => {
        const server = await startRawSmtpServer(at(point, 'hang'));
        const submitter = createSmtpSubmitter(server.url);
        cleanups.push(server.close, submitter.close);
        expect((await submitter.submit({ envelope, raw })).outcome).toBe(expected);
      }),
    );
    expect(performance.now() - startedAt).toBeLessThan(15_000);
  }, 20_000);
});

async function rawServer(script?: SmtpScript, options?: Parameters<typeof startRawSmtpServer>[1], timeouts?: Partial<SubmitTimeouts>) {
  const server = await startRawSmtpServer(script, options);
  cleanups.push(server.close);
  return { server, submitter: submitterFor(server.url, timeouts) };
}

function submitterFor(url: string, timeouts?: Partial<SubmitTimeouts>): SmtpSubmitter {
  const submitter = createSmtpSubmitter(url, { timeouts: { ...PATIENT, ...timeouts } });
  cleanups.push(submitter.close);
  return submitter;
}

function patienceFor(act: SmtpAct): Partial<SubmitTimeouts> {
  return act === 'hang' ? SHORT : PATIENT;
}

function linesOf(bytes: number): Buffer {
  const line = `${'x'.repeat(74)}\r\n`;
  return Buffer.alloc(Math.floor(bytes / line.length) * line.length, line);
}

function at(point: SmtpPoint, act: SmtpAct): SmtpScript {
  return (now) => (now === point ? act : undefined);
}

async function expectNothingSent(server: RawSmtpServer) {
  await later();
  expect(server.transfers()).toBe(0);
  expect(server.messages).toEqual([]);
}

// Long enough for a second try to show.
function later() {
  return new Promise((resolve) => setTimeout(resolve, 60));
}
