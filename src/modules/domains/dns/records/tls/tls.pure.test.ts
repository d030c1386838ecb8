import { createHash, X509Certificate } from 'node:crypto';
import { createServer } from 'node:net';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startDns } from '@/test/servers/dns';
import { type TestCertificate, testCertificate } from '@/test/servers/https-receiver';
import { checkAt, domainFacts, entryOf, MAIL_HOST, publishedZone, recordOf } from '@/test/servers/published-domain';
import { startSmtpServer } from '@/test/servers/smtp-server';
import { tlsStarter } from '../../checking/mail-tls';
import type { Probes } from '../record';

const DAY_MS = 86_400_000;
const TLSA = `_25._tcp.${MAIL_HOST}`;
const server = await startDns();
const facts = domainFacts();
const valid = await testCertificate({ names: [MAIL_HOST] });
let closing: (() => unknown)[] = [];
let probes: Probes;

afterAll(() => server.stop());
afterEach(async () => {
  for (const close of closing) await close();
  closing = [];
});
beforeEach(() => {
  server.zone = publishedZone(facts);
  server.signed = [];
  entryOf(server.zone, MAIL_HOST).A = ['127.0.0.1'];
});

/** A mail server with that certificate at the MX host, or without TLS. */
async function serve(certificate: TestCertificate | null) {
  const tls = certificate ? { ...certificate, disabledCommands: [] } : {};
  const smtp = await startSmtpServer(tls);
  closing.push(smtp.close);
  connectTo(smtp.port);
  return smtp;
}

function connectTo(port: number) {
  probes = {
    startTls: tlsStarter({ ownName: 'console.host.example', allowPrivateNetworks: true, port, ca: valid.ca }),
  };
}

/** Says the next of these lines after everything it receives. */
async function serveLines(...lines: string[]) {
  const plain = createServer((socket) => {
    const rest = [...lines];
    socket.on('error', () => {}).on('data', () => socket.write(rest.shift() ?? ''));
    socket.write(rest.shift() ?? '');
  });
  await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
  closing.push(() => plain.close());
  connectTo((plain.address() as { port: number }).port);
}

const check = async (purpose: string, over = facts) => recordOf(await checkAt(server, over, { probes }), purpose);
const problem = (severity: string, message: RegExp, status = 'mismatch') => ({
  status,
  severity,
  message: expect.stringMatching(message),
});

describe('TLS at port 25', () => {
  it('has a certificate that other servers accept', async () => {
    const smtp = await serve(valid);
    const { validTo } = new X509Certificate(valid.cert);
    expect(await check('starttls')).toMatchObject({
      name: MAIL_HOST,
      status: 'ok',
      required: false,
      found: [`127.0.0.1: certificate until ${new Date(validTo).toISOString().slice(0, 10)}`],
    });
    expect(smtp.connections()).toBe(1);
  });

  it('is required where the MTA-STS policy enforces it', async () => {
    await serve(null);
    expect(await check('starttls')).toMatchObject({ ...problem('error', /STARTTLS/), required: false });
    const enforcing = domainFacts({ mtaStsMode: 'enforce' });
    expect(await check('starttls', enforcing)).toMatchObject({ ...problem('error', /STARTTLS/), required: true });
  });

  it.each<[string, Parameters<typeof testCertificate>[0], string, RegExp]>([
    ['for another name', { names: ['mail.far.example'] }, 'error', /is not for mail\.host\.example/],
    ['that has expired', { notBeforeDate: daysFromNow(-9), notAfterDate: daysFromNow(-1) }, 'error', /has expired/],
    ['that is not valid yet', { notBeforeDate: daysFromNow(1) }, 'error', /not valid yet/],
    ['that expires soon', { notAfterDate: daysFromNow(13.5) }, 'warning', /expires in 13 days/],
  ])('may not have a certificate %s', async (_, options, severity, message) => {
    await serve(await testCertificate({ names: [MAIL_HOST], ...options }));
    expect(await check('starttls')).toMatchObject(problem(severity, message));
  });

  it('may not have a certificate of an unknown authority', async () => {
    const smtp = await serve(valid);
    probes = { startTls: tlsStarter({ ownName: 'console.host.example', allowPrivateNetworks: true, port: smtp.port }) };
    expect(await check('starttls')).toMatchObject(problem('error', /no known authority/));
  });

  it('may not have a certificate without a valid expiry date', async () => {
    const { key, cert, ca } = await testCertificate({ names: [MAIL_HOST], notAfterDate: new Date('2047-12-31') });
    const bytes = new X509Certificate(cert).raw;
    bytes.write('99', bytes.indexOf('471231') + 2);
    const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
    await serve({ key, ca, cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----'].join('\n') });
    expect(await check('starttls')).toMatchObject({
      ...problem('error', /expiry date is invalid/),
      found: ['127.0.0.1: certificate without a valid expiry date'],
    });
  });

  it.each<[string, string[], RegExp]>([
    ['greets with what a database can’t store', ['554 \0no\r\n'], /greets with “554 \\000no”/],
    ['greets with an error', ['554 no\r\n'], /greets with “554 no”/],
    ['refuses STARTTLS', ['220 hi\r\n', '250-hi\r\n250 STARTTLS\r\n', '454 no\r\n'], /answers STARTTLS with “454 no”/],
    ['never stops talking', ['220 hi\r\n', `250-${'x'.repeat(20_000)}\r\n`], /too long/],
    ['speaks no TLS after STARTTLS', ['220 hi\r\n', '250 STARTTLS\r\n', '220 go\r\n', 'no TLS here\r\n'], /ERR_SSL/],
  ])('is missing at a server that %s', async (_, lines, message) => {
    await serveLines(...lines);
    expect(await check('starttls')).toMatchObject(problem('error', message));
  });

  it('is not judged at a port that can’t be reached, or at a private address', async () => {
    const smtp = await serve(valid);
    await smtp.close();
    closing = [];
    expect(await check('starttls')).toMatchObject(problem('info', /connection refused/, 'temporary_error'));
    probes = {
      startTls: tlsStarter({ ownName: 'console.host.example', allowPrivateNetworks: false, port: smtp.port }),
    };
    expect(await check('starttls')).toMatchObject(problem('info', /private address/, 'temporary_error'));
  });
});

describe('DANE', () => {
  const { raw, publicKey } = new X509Certificate(valid.cert);
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const authority = new X509Certificate(valid.ca).raw;
  const hash = (name: string, bytes: Buffer) => createHash(name).update(bytes).digest('hex');
  const publish = (...values: string[]) => {
    entryOf(server.zone, TLSA).TLSA = values;
    server.signed = [TLSA];
  };

  it('is optional', async () => {
    await serve(valid);
    expect(await check('dane')).toMatchObject({ ...problem('info', /no TLSA/, 'missing'), required: false });
  });

  it.each([
    ['the key', `3 1 1 ${hash('sha256', spki)}`],
    ['the key in full', `3 1 0 ${spki.toString('hex')}`],
    ['the certificate', `3 0 2 ${hash('sha512', raw)}`],
  ])('matches %s', async (_, value) => {
    await serve(valid);
    publish(`3 1 1 ${'00'.repeat(32)}`, value);
    expect(await check('dane')).toMatchObject({ status: 'ok', severity: 'ok' });
  });

  it('matches the authority if the server sends its certificate', async () => {
    publish(`2 0 1 ${hash('sha256', authority)}`);
    await serve({ ...valid, cert: `${valid.cert}\n${valid.ca}` });
    expect(await check('dane')).toMatchObject({ status: 'ok' });
  });

  it('breaks mail if no record matches', async () => {
    await serve(valid);
    publish(`3 1 1 ${'00'.repeat(32)}`, `2 0 1 ${hash('sha256', raw).replace(/^./, 'x')}`);
    expect(await check('dane')).toMatchObject({ ...problem('error', /doesn’t match/), required: true });
    publish(`1 1 1 ${hash('sha256', spki)}`);
    expect(await check('dane')).toMatchObject(problem('warning', /only usages 2 and 3/));
  });

  it('is insecure in a zone that isn’t signed', async () => {
    await serve(valid);
    publish(`3 1 1 ${hash('sha256', spki)}`);
    server.signed = [];
    expect(await check('dane')).toMatchObject(problem('error', /isn’t signed/, 'insecure'));
    entryOf(server.zone, 'host.example').NS = ['ns.far.example'];
    entryOf(server.zone, 'host.example').DS = ['1 13 2 aabb'];
    expect(await check('dane')).toMatchObject(problem('info', /don’t verify/, 'ok'));
  });

  it('is not compared without NETWORK_CHECKS', async () => {
    publish(`3 1 1 ${hash('sha256', spki)}`);
    probes = {};
    expect(await check('dane')).toMatchObject(problem('info', /NETWORK_CHECKS/, 'ok'));
  });
});

function daysFromNow(days: number): Date {
  return new Date(Date.now() + days * DAY_MS);
}
