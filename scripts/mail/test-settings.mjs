import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../process/free-port.mjs';

const HOST_NAME = 'mail.example.test';
const PORTS = [
  'SMTP_PORT',
  'SUBMISSION_PORT',
  'SUBMISSIONS_PORT',
  'IMAP_PORT',
  'IMAPS_PORT',
  'SIEVE_PORT',
  'REDIS_PORT',
  'FILTER_PORT',
  'AGENT_PORT',
];

/** Settings of a real server, but on loopback: outbound mail goes to one local port, and no DNS is used. */
export async function settingsFor(folder, databaseUrl) {
  const certificate = makeCertificate(folder);
  const suffixes = join(folder, 'suffixes');
  writeFileSync(suffixes, 'com\nexample\nnet\norg\ntest\n');
  const [nameServer, sink, ...ports] = await freePorts(PORTS.length + 2);
  return {
    HOSTNAME: HOST_NAME,
    POSTMASTER: 'postmaster@far.example',
    DATABASE: databaseUrl,
    TLS_CERTIFICATE: certificate.certificate,
    TLS_KEY: certificate.key,
    APP_PASSWORD: randomBytes(24).toString('hex'),
    REDIS_PASSWORD: randomBytes(24).toString('hex'),
    DATA_DIR: join(folder, 'data'),
    BIND_ADDRESSES: '127.0.0.1',
    ...Object.fromEntries(PORTS.map((name, index) => [name, ports[index]])),
    RELAY_HOST: `[127.0.0.1]:${sink}`,
    NETWORK_CHECKS: 'no',
    DNS_SERVERS: `127.0.0.1:${nameServer}`,
    // Rspamd takes 20 to 40 seconds to prepare the full list the first time.
    TLD_FILE: suffixes,
  };
}

function makeCertificate(folder) {
  const certificate = join(folder, 'certificate.pem');
  const key = join(folder, 'key.pem');
  const subject = ['-subj', `/CN=${HOST_NAME}`, '-addext', `subjectAltName=DNS:${HOST_NAME}`];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  spawnSync('openssl', ['req', '-x509', ...kind, ...subject, '-keyout', key, '-out', certificate], { stdio: 'ignore' });
  return { certificate, key };
}

async function freePorts(count) {
  const ports = new Set();
  while (ports.size < count) ports.add(await freePort());
  return [...ports];
}
