import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls, type SecureVersion } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { mailServer, portOf } from './support/mail-server';
import { operate } from './support/operations';

/** Commands before the handshake, each sent after a line that matches. */
const START_TLS: Record<string, [RegExp, string][]> = {
  SMTP_PORT: [
    [/^220 /m, 'EHLO client.example'],
    [/^250 /m, 'STARTTLS'],
    [/^220 2/m, ''],
  ],
  SUBMISSION_PORT: [
    [/^220 /m, 'EHLO client.example'],
    [/^250 /m, 'STARTTLS'],
    [/^220 2/m, ''],
  ],
  SUBMISSIONS_PORT: [],
  IMAP_PORT: [
    [/^\* OK/m, 'a STARTTLS'],
    [/^a OK/m, ''],
  ],
  IMAPS_PORT: [],
  SIEVE_PORT: [
    [/^OK/m, 'STARTTLS'],
    [/^OK/m, ''],
  ],
};

describe.each(Object.keys(START_TLS))('a client of %s', (port) => {
  it.each(['TLSv1', 'TLSv1.1'] as const)('can’t use %s', async (version) => {
    await expect(handshake(port, version)).rejects.toThrow(/protocol version|disconnected before secure/);
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)('can use %s', async (version) => {
    expect(await handshake(port, version)).toBe(version);
  });
});

it('a renewed certificate is served after a reload, without a restart', async () => {
  const { TLS_CERTIFICATE: certificate, TLS_KEY: key } = mailServer.settings;
  if (!certificate || !key) throw new Error('the settings of the mail server have no certificate');
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-subj', '/CN=renewed.example'];
  execFileSync('openssl', ['req', '-x509', ...kind, '-keyout', key, '-out', certificate], { stdio: 'ignore' });
  for (const service of ['postfix', 'dovecot']) {
    expect(await operate({ action: 'reload', service })).toMatchObject({ state: 'succeeded' });
  }
  for (const port of ['SUBMISSIONS_PORT', 'IMAPS_PORT']) {
    await expect.poll(() => nameOfServer(port)).toBe('renewed.example');
  }
});

async function nameOfServer(portName: string): Promise<unknown> {
  const socket = connectTls({ port: portOf(portName), host: '127.0.0.1', rejectUnauthorized: false });
  onTestFinished(() => void socket.destroy());
  await once(socket, 'secureConnect');
  return socket.getPeerCertificate().subject.CN;
}

async function handshake(portName: string, version: SecureVersion): Promise<string | null> {
  const socket = connectTcp({ port: portOf(portName), host: '127.0.0.1' });
  onTestFinished(() => void socket.destroy());
  for (const [reply, command] of START_TLS[portName] ?? []) {
    await readUntil(socket, reply);
    if (command) socket.write(`${command}\r\n`);
  }
  const limits = { minVersion: version, maxVersion: version, ciphers: 'DEFAULT:@SECLEVEL=0' };
  const secure = connectTls({ socket, rejectUnauthorized: false, ...limits });
  await once(secure, 'secureConnect');
  return secure.getProtocol();
}

async function readUntil(socket: Socket, pattern: RegExp): Promise<void> {
  for (let text = ''; !pattern.test(text); ) text += String((await once(socket, 'data'))[0]);
}
