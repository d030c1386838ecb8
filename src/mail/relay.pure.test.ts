import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { addressOfRelay, type Relay, readRelay, testRelay } from '../../deploy/mail/relay.mjs';
import { readSettings } from '../../deploy/mail/settings.mjs';
import { testCertificate } from '../test/servers/https-receiver';
import { type SmtpScript, startRawSmtpServer } from '../test/servers/raw-smtp-server';
import { startSmtpServer } from '../test/servers/smtp-server';
import { createRelayCheck } from './agent/relay';

const folder = mkdtempSync(join(tmpdir(), 'postroom-relay-'));
afterAll(() => rmSync(folder, { recursive: true }));

const [USER, PASSWORD] = ['key-7', 'SG.a/b+c=d:e#f'];
const IN_BASE64 = [PASSWORD, `\0${USER}\0${PASSWORD}`].map((text) => Buffer.from(text).toString('base64'));
const FROM = 'ann@here.example';
const { ca, key, cert } = await testCertificate();
const caFile = join(folder, 'ca.pem');
writeFileSync(caFile, String(ca));

type Options = Parameters<typeof startSmtpServer>[0];

async function startRelay(options: Options = {}) {
  const relay = await startSmtpServer({
    ...{ key, cert, user: USER, password: PASSWORD, disabledCommands: [] as string[] },
    onRecipient: (address) => {
      if (address.startsWith('nobody')) return { code: 550, text: '5.1.1 No such user' };
      return address.startsWith('denied') ? { code: 554, text: '5.7.1 Relay access denied' } : undefined;
    },
    ...options,
  });
  onTestFinished(relay.close);
  return relay;
}

async function startScripted(script: SmtpScript, extensions: string[]) {
  const relay = await startRawSmtpServer(script, { extensions });
  onTestFinished(relay.close);
  return relay;
}

function at(port: number, over: Partial<Relay> = {}): Relay {
  return {
    ...{ destination: `[127.0.0.1]:${port}`, tls: 'encrypt', isTlsFromStart: false, user: USER, password: PASSWORD },
    ...{ ownName: 'mail.here.example', isIpv4Only: true, caFile },
    ...over,
  };
}

const spoken = ({ lines }: Awaited<ReturnType<typeof testRelay>>, kind: string) =>
  lines.filter((line) => line.kind === kind).map(({ text }) => text);

describe('the relay of a configuration', () => {
  /** Fills what Postfix reads from the settings. */
  function configure(lines: string[]) {
    const file = join(folder, 'settings');
    const own = ['HOSTNAME=mail.here.example', 'POSTMASTER=ann@here.example', 'APP_PASSWORD=a-password-of-the-app'];
    const database = 'DATABASE=postgresql://mta_read:secret@127.0.0.1:5432/postroom';
    const needed = [database, 'REDIS_PASSWORD=a-password-of-redis', 'ACME_EMAIL=ann@here.example'];
    writeFileSync(file, [...own, ...needed, ...lines].join('\n'));
    const { values, errors } = readSettings(file);
    expect(errors).toEqual([]);
    mkdirSync(join(folder, 'postfix'), { recursive: true });
    for (const name of ['main.cf', 'relay-credentials']) {
      const template = readFileSync(`deploy/mail/templates/postfix/${name}`, 'utf8');
      const filled = (_: string, value: string) => String((values as Record<string, unknown>)[value] ?? 'x');
      writeFileSync(join(folder, 'postfix', name), template.replace(/\{\{(\w+)\}\}/g, filled));
    }
    return readRelay(folder);
  }

  it('is none without RELAY_HOST', () => {
    expect(configure([])).toBeNull();
  });

  it('has its TLS policy, user and password as Postfix uses them', () => {
    const credentials = [`RELAY_USER=${USER}`, `RELAY_PASSWORD=${PASSWORD}`];
    expect(configure(['RELAY_HOST=[smtp.example.net]:465', ...credentials, 'BIND_ADDRESSES=192.0.2.7'])).toEqual({
      ...{ destination: '[smtp.example.net]:465', tls: 'encrypt', isTlsFromStart: true },
      ...{ user: USER, password: PASSWORD, ownName: 'mail.here.example', isIpv4Only: true },
      caFile: '/etc/ssl/certs/ca-certificates.crt',
    });
    expect(configure(['RELAY_HOST=smtp.example.net:465'])).toMatchObject({ tls: 'encrypt', isTlsFromStart: true });
    expect(configure(['RELAY_HOST=smtp.example.net', 'RELAY_TLS=secure'])).toMatchObject({
      ...{ destination: 'smtp.example.net', tls: 'secure', isTlsFromStart: false, user: '', password: '' },
      isIpv4Only: false,
    });
  });

  it.each([
    ['[smtp.example.net]:587', { host: 'smtp.example.net', port: 587, isExact: true }],
    ['smtp.example.net', { host: 'smtp.example.net', port: 25, isExact: false }],
    ['[2001:db8::1]:2525', { host: '2001:db8::1', port: 2525, isExact: true }],
  ])('%s is a host and a port', (destination, address) => {
    expect(addressOfRelay(destination)).toEqual(address);
  });
});

describe('the check of a relay', () => {
  const configure = (port: number, password: string) => {
    const config = mkdtempSync(join(folder, 'config-'));
    mkdirSync(join(config, 'postfix'));
    const main = `relayhost = [127.0.0.1]:${port}\nsmtp_tls_security_level = encrypt\nsmtp_sasl_auth_enable = yes\nmyhostname = a.example\n`;
    writeFileSync(join(config, 'postfix/main.cf'), main);
    writeFileSync(join(config, 'postfix/relay-credentials'), `[127.0.0.1]:${port} ${USER}:${password}\n`);
    return config;
  };

  it('is down from the second failure on, and again fine as soon as the password is right', async () => {
    const relay = await startRelay();
    const config = configure(relay.port, 'another');
    let now = 0;
    const check = createRelayCheck({ host: 'mail.here.example', config }, () => new Date(now));
    const message = expect.stringContaining('rejects the user or the password');
    expect(await check()).toMatchObject({ name: 'relay', subject: 'mail.here.example', status: 'unknown', message });
    expect(await check()).toMatchObject({ status: 'down', message });
    writeFileSync(join(config, 'postfix/relay-credentials'), `[127.0.0.1]:${relay.port} ${USER}:${PASSWORD}\n`);
    expect(await check()).toMatchObject({ status: 'ok', message: '' });
    const tests = relay.connections();
    await check();
    expect(relay.connections()).toBe(tests);
    now = 10 * 60_000;
    await check();
    expect(relay.connections()).toBe(tests + 1);
    writeFileSync(join(config, 'postfix/main.cf'), 'relayhost =\n');
    expect(await check()).toBeNull();
    rmSync(join(config, 'postfix/main.cf'));
    expect(await check()).toMatchObject({ status: 'unknown', message: expect.stringContaining('main.cf') });
  });
});

describe('the test of a relay', () => {
  it('signs in over TLS, names sender and recipient, and sends nothing', async () => {
    const relay = await startRelay();
    const result = await testRelay(at(relay.port), { from: FROM, to: 'bo@far.example' });
    expect(result).toMatchObject({
      outcome: 'accepted',
      message: `127.0.0.1 accepts this server, signed in as ${USER}, and mail from ${FROM} to bo@far.example.`,
    });
    expect(spoken(result, 'sent')).toEqual([
      ...['EHLO mail.here.example', 'STARTTLS', 'EHLO mail.here.example', 'AUTH PLAIN ••••••••'],
      ...[`MAIL FROM:<${FROM}>`, 'RCPT TO:<bo@far.example>', 'RSET', 'QUIT'],
    ]);
    expect(spoken(result, 'received')).toContainEqual(expect.stringMatching(/^235 /));
    expect(relay.received).toEqual([]);
  });

  it.each(['PLAIN', 'LOGIN'])('has the password nowhere, with AUTH %s and a relay that repeats it', async (method) => {
    const script: SmtpScript = (point, line) =>
      point === 'AUTH' && method === 'PLAIN' ? { say: `535 ${line} ${PASSWORD}\r\n` } : undefined;
    const options = method === 'LOGIN' ? { authMethods: ['LOGIN'], password: 'another' } : null;
    const { port } = options ? await startRelay(options) : await startScripted(script, ['AUTH PLAIN']);
    const tls = options ? 'encrypt' : 'may';
    const result = await testRelay(at(port, { tls }));
    expect(result).toMatchObject({ outcome: 'credentials', message: expect.stringContaining('RELAY_PASSWORD') });
    for (const secret of [PASSWORD, ...IN_BASE64]) expect(JSON.stringify(result)).not.toContain(secret);
    expect(spoken(result, 'sent').join('\n')).toContain('••••••••');
  });

  it('hides a user that is the password, too', async () => {
    const relay = await startRelay({ user: PASSWORD });
    const result = await testRelay(at(relay.port, { user: PASSWORD }));
    expect(result.outcome).toBe('accepted');
    expect(JSON.stringify(result)).not.toContain(PASSWORD);
  });

  it('verifies the certificate only if the policy is secure', async () => {
    const names = { names: ['other.example'], ips: [] };
    const { key: otherKey, cert: otherCert } = await testCertificate(names);
    const [right, wrong] = [await startRelay(), await startRelay({ key: otherKey, cert: otherCert })];
    expect((await testRelay(at(right.port, { tls: 'secure' }))).outcome).toBe('accepted');
    const refused = await testRelay(at(wrong.port, { tls: 'secure' }));
    expect(refused).toMatchObject({ outcome: 'tls', message: expect.stringContaining('isn’t valid for 127.0.0.1') });
    expect(spoken(refused, 'sent')).not.toContainEqual(expect.stringMatching(/^AUTH/));
    const result = await testRelay(at(wrong.port));
    expect(result.outcome).toBe('accepted');
    expect(spoken(result, 'note').join()).toContain('which RELAY_TLS=encrypt accepts');
  });

  it('uses TLS from the start where Postfix does', async () => {
    const relay = await startRelay({ secure: true });
    expect((await testRelay(at(relay.port, { isTlsFromStart: true }))).outcome).toBe('accepted');
  });

  it('needs TLS unless the policy is may, which goes on without it', async () => {
    const { port } = await startScripted(() => undefined, []);
    expect(await testRelay(at(port))).toMatchObject({ outcome: 'tls', message: expect.stringContaining('no TLS') });
    const open = { tls: 'may', user: '', password: '' } as const;
    expect(await testRelay(at(port, open))).toMatchObject({
      outcome: 'accepted',
      message: '127.0.0.1 accepts this server.',
    });
    const broken = await startScripted(() => undefined, ['STARTTLS']);
    const result = await testRelay(at(broken.port, open), { from: FROM });
    expect(result).toMatchObject({
      outcome: 'accepted',
      message: `127.0.0.1 accepts this server, and mail from ${FROM}.`,
    });
    expect(spoken(result, 'note')).toContain('RELAY_TLS=may sends without TLS then.');
  });

  it('says who was refused: this server, the sender or the recipient', async () => {
    const relay = await startRelay();
    const ask = (to: string) => testRelay(at(relay.port), { from: FROM, to });
    expect(await ask('nobody@far.example')).toMatchObject({
      outcome: 'recipient',
      message: '127.0.0.1 refuses the recipient nobody@far.example. It says: 550 5.1.1 No such user',
    });
    expect(await ask('denied@far.example')).toMatchObject({
      outcome: 'refused',
      message: '127.0.0.1 refuses this server. It says: 554 5.7.1 Relay access denied',
    });
    const [at530, at450, busy] = ['530 5.7.0 Sign in first', '450 4.1.8 Try later', '421 4.3.2 Busy'];
    const open = { tls: 'may', user: '', password: '' } as const;
    const say =
      (point: string, text: string): SmtpScript =>
      (now) =>
        now === point ? { say: `${text}\r\n` } : undefined;
    const outcomes = [
      ['MAIL', at530, 'credentials', /wants a user and a password/],
      ['MAIL', at450, 'sender', /doesn’t accept the sender .* for now/],
      ['BANNER', busy, 'refused', /takes no mail from this server for now.* 421/],
    ] as const;
    for (const [point, text, outcome, message] of outcomes) {
      const { port } = await startScripted(say(point, text), []);
      const result = await testRelay(at(port, open), { from: FROM });
      expect(result).toMatchObject({ outcome, message: expect.stringMatching(message) });
    }
  });

  it('says that a port is closed, silent, or no mail server’s, and that a name has no address', async () => {
    const limits = { timeoutMs: 2_000, connectTimeoutMs: 1_500 };
    const closed = await startRelay();
    await closed.close();
    const silent = await startScripted(() => 'hang', []);
    const web = await startScripted(
      (point) => (point === 'BANNER' ? { say: 'HTTP/1.1 400 Bad Request\r\n' } : undefined),
      [],
    );
    const dropping = await startScripted((point) => (point === 'EHLO' ? 'drop' : undefined), []);
    const outcomes = [
      [at(closed.port), 'unreachable', /refuses connections to port/],
      [at(silent.port), 'refused', /accepts connections .* doesn’t answer \(greeting\)\. If this port uses TLS/],
      [at(web.port), 'refused', /isn’t a mail server/],
      [at(dropping.port), 'refused', /closed the connection \(EHLO\)/],
      [
        at(25, { destination: '[no.such.host.invalid]:25' }),
        'unreachable',
        /^DNS has no address for no\.such\.host\.invalid/,
      ],
    ] as const;
    for (const [relay, outcome, message] of outcomes) {
      const result = await testRelay(relay, {}, limits);
      expect(result).toMatchObject({ outcome, message: expect.stringMatching(message) });
      expect(spoken(result, 'note').at(-1)).toBe(result.message);
    }
  });
});
