import type { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { readCertificate } from '@/mail/agent/certificate/files';
import { createCertificateKeeper } from '@/mail/agent/certificate/keeper';
import { type Acme, readInstallation } from '@/mail/agent/installation';
import { createServiceControl } from '@/mail/agent/services/control';
import { startTemporaryMailServer } from '../../../scripts/mail/temporary-mail-server.mjs';
import { freePort } from '../../../scripts/process/free-port.mjs';
import { startDns } from '../servers/dns';
import { startAcmeServer } from './support/acme-server';
import { mailServer } from './support/mail-server';

const HOST = 'mail.example.test';
const IMAP_NAME = 'imap.example.test';
const MONTHS_LATER_MS = 61 * 86_400_000;

const dns = await startDns();
afterAll(dns.stop);
const httpPort = await freePort();
const acmeServer = await startAcmeServer({ httpPort, dnsServer: `127.0.0.1:${dns.port}` });
// A mail server of its own, since the others' tests use the certificate of theirs.
const settings = {
  TLS_CERTIFICATE: '',
  TLS_KEY: '',
  ACME_EMAIL: 'admin@example.test',
  ACME_SERVER: acmeServer.directory,
  ACME_CA_FILE: acmeServer.caFile,
  ACME_NAMES: IMAP_NAME,
  ACME_HTTP_ADDRESS: `127.0.0.1:${httpPort}`,
};
const { mailServer: own, stop } = await startTemporaryMailServer(String(mailServer.settings.DATABASE), settings, [
  'dovecot',
  'postfix',
]);
afterAll(stop);
const installation = readInstallation(own.config);

beforeEach(() => {
  for (const name of [HOST, IMAP_NAME]) dns.zone[name] = { A: ['127.0.0.1'] };
});

function keeper({ inMs = 0, acme }: { inMs?: number; acme?: Partial<Acme> } = {}) {
  const control = createServiceControl(() => installation);
  return createCertificateKeeper({
    installation: { ...installation, acme: installation.acme && { ...installation.acme, ...acme } },
    reload: (service) => control.reload(service),
    now: () => new Date(Date.now() + inMs),
    onLine: () => {},
    signal: new AbortController().signal,
  });
}

async function served(port: number): Promise<X509Certificate> {
  const socket = connect({ port, host: '127.0.0.1', servername: HOST, rejectUnauthorized: false });
  onTestFinished(() => void socket.destroy());
  await once(socket, 'secureConnect');
  const certificate = socket.getPeerX509Certificate();
  if (!certificate) throw new Error('The service showed no certificate.');
  return certificate;
}

const { submissions, imaps } = installation.ports;
const inFile = async () => (await readCertificate(installation.tls)).fingerprint;
/** Calls `keep` as the agent does: a process of Postfix that is still busy serves the earlier certificate a little longer. */
async function expectServed(fingerprint: string): Promise<void> {
  const { keep } = keeper();
  const isServed = async () => {
    await keep();
    const all = await Promise.all([submissions, imaps].map(served));
    return all.every(({ fingerprint256 }) => fingerprint256 === fingerprint);
  };
  await expect.poll(isServed, { timeout: 45_000, interval: 500 }).toBe(true);
}

describe('the certificate of a mail server with ACME', () => {
  it('is self-signed until the first one was obtained, which Postfix and Dovecot then serve with its chain', async () => {
    const before = await served(imaps);
    expect(before.checkIssued(before)).toBe(true);
    const { keep, check } = keeper();
    await keep();
    await expectServed(await inFile());
    const after = await served(imaps);
    expect(after.issuer).toMatch(/Pebble Intermediate CA/);
    expect(after.subjectAltName?.split(', ').toSorted()).toEqual([`DNS:${IMAP_NAME}`, `DNS:${HOST}`]);
    expect(after.publicKey.equals(before.publicKey)).toBe(true);
    expect(await check()).toMatchObject([{ status: 'ok' }]);
    expect(readFileSync(installation.tls.certificate, 'utf8').match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
  });

  it('stays until a third of its life is left', async () => {
    const before = await inFile();
    await keeper().keep();
    expect(await inFile()).toBe(before);
    await keeper({ inMs: MONTHS_LATER_MS }).keep();
    expect(await inFile()).not.toBe(before);
    await expectServed(await inFile());
  });

  it('stays if the ACME server can’t reach a name, and the reason is shown', async () => {
    const before = await inFile();
    delete dns.zone[IMAP_NAME];
    const { keep, check, renew } = keeper({ inMs: MONTHS_LATER_MS });
    await expect(keep()).rejects.toThrow(IMAP_NAME);
    expect(await check()).toMatchObject([{ status: 'degraded', message: expect.stringContaining(IMAP_NAME) }]);
    dns.zone[IMAP_NAME] = { A: ['127.0.0.1'] };
    // It is not time for another attempt, unless an admin asks for one.
    await keep();
    expect(await inFile()).toBe(before);
    await renew(() => {});
    expect(await inFile()).not.toBe(before);
    expect(await check()).toMatchObject([{ status: 'ok' }]);
  });

  it('is proved by DNS records with one of the providers of lego', async () => {
    for (const name of [HOST, IMAP_NAME]) delete dns.zone[name];
    const script = join(own.config, 'publish-record');
    const records = join(own.config, 'records');
    writeFileSync(script, `#!/bin/sh\necho "$1 $2 $3" >>${records}\n`);
    chmodSync(script, 0o700);
    const credentialsFile = join(own.config, 'acme-dns');
    writeFileSync(credentialsFile, `# For the provider "exec".\nEXEC_PATH=${script}\nEXEC_SEQUENCE_INTERVAL=1\n`);
    const publishing = setInterval(() => publish(records), 50);
    onTestFinished(() => clearInterval(publishing));
    const before = await inFile();
    const dnsSettings = { provider: 'exec', credentialsFile, servers: [`127.0.0.1:${dns.port}`], isChecked: false };
    await keeper({ inMs: MONTHS_LATER_MS, acme: { dns: dnsSettings } }).keep();
    expect(await inFile()).not.toBe(before);
  });

  it('is served within a minute if someone else replaced the file', async () => {
    const text = readFileSync(installation.tls.certificate);
    const before = await inFile();
    await keeper({ inMs: MONTHS_LATER_MS }).renew(() => {});
    await expectServed(await inFile());
    writeFileSync(installation.tls.certificate, text);
    await expectServed(before);
  });
});

function publish(file: string): void {
  const lines = readFileSync(file, { encoding: 'utf8', flag: 'a+' }).split('\n');
  for (const [verb, name, value] of lines.map((line) => line.split(' ')))
    if (verb === 'present' && name && value) dns.zone[name.replace(/\.$/, '')] = { TXT: [value] };
}
