import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseEnv, promisify } from 'node:util';
import { withinTime } from '@/lib/within-time';
import { hideSecrets } from '../configuration/show-diff';
import type { Acme, Installation } from '../installation';
import { type Certificate, parseCertificate, replaceCertificate } from './files';

const TIMEOUT_MS = 5 * 60_000;
/** Lines of its output that an error has. */
const MAX_LINES = 5;

const run = promisify(execFile);

export type Run = {
  /** Called with each line that the ACME client prints. */
  onLine: (line: string) => void;
  /** Ends the ACME client. */
  signal: AbortSignal;
};

/**
 * Gets a certificate of all names for the key that is there and replaces the present one. The key stays, so that TLSA
 * records of it remain right.
 * @throws with what the ACME client said
 */
export async function obtainCertificate(
  { host, data, tls }: Installation,
  acme: Acme,
  { onLine, signal }: Run,
): Promise<Certificate> {
  const names = namesOf(host, acme);
  const request = join(data, 'acme/request.pem');
  const subject = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=${names.map((name) => `DNS:${name}`).join(',')}`];
  await run('openssl', ['req', '-new', '-key', tls.key, ...subject, '-out', request]);
  const obtained = join(data, 'acme/certificates', `${host}.crt`);
  await rm(obtained, { force: true });
  await runLego(await argumentsOf(acme, { path: join(data, 'acme'), request }), { onLine, signal });
  const chain = await readFile(obtained);
  const certificate = parseCertificate(chain, await readFile(tls.key));
  if (!coversAll(certificate, names)) throw new Error('The ACME server’s certificate is for other names.');
  await replaceCertificate(tls.certificate, chain);
  return certificate;
}

export function namesOf(host: string, { names }: Acme): string[] {
  return [...new Set([host, ...names].map((name) => name.toLowerCase()))];
}

export function coversAll({ names }: Certificate, wanted: string[]): boolean {
  const covered = new Set(names.map((name) => name.toLowerCase()));
  return wanted.every((name) => covered.has(name));
}

type Command = { args: string[]; environment: Record<string, string>; secrets: Set<string> };

async function argumentsOf(acme: Acme, { path, request }: { path: string; request: string }): Promise<Command> {
  const { dns } = acme;
  const challenge = dns
    ? [
        '--dns',
        dns.provider,
        ...dns.servers.flatMap((server) => ['--dns.resolvers', server]),
        ...(dns.isChecked ? [] : ['--dns.disable-cp']),
      ]
    : ['--http', '--http.port', acme.httpAddress];
  // Some providers send them in the URL, which errors show.
  const credentials = dns ? parseEnv(await readFile(dns.credentialsFile, 'utf8')) : {};
  const who = ['--accept-tos', '--email', acme.email, '--server', acme.server];
  return {
    args: [...who, '--path', path, '--csr', request, ...challenge, 'run'],
    environment: {
      ...credentials,
      ...(acme.caFile && { LEGO_CA_CERTIFICATES: acme.caFile }),
      PATH: process.env.PATH ?? '',
    },
    secrets: new Set(Object.values(credentials).flatMap((value = '') => [value, encodeURIComponent(value)])),
  };
}

function runLego(command: Command, { onLine, signal }: Run): Promise<void> {
  return withinTime(signal, TIMEOUT_MS, (ending) => runUntil(command, { onLine, signal: ending }));
}

async function runUntil({ args, environment, secrets }: Command, { onLine, signal }: Run): Promise<void> {
  const lego = spawn('lego', args, {
    env: environment as NodeJS.ProcessEnv,
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  });
  const last: string[] = [];
  for (const output of [lego.stdout, lego.stderr])
    createInterface({ input: output }).on('line', (text) => {
      const line = hideSecrets(text, secrets);
      last.push(line);
      if (last.length > MAX_LINES) last.shift();
      onLine(line);
    });
  const [code] = await once(lego, 'close').catch((error: Error) => {
    throw new Error(sentenceOf(error));
  });
  if (code !== 0) throw new Error(`lego failed: ${last.map(withoutTime).join(' ')}`);
}

function sentenceOf(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return 'lego is not installed: run deploy/mail/install again.';
  return error.name === 'AbortError' ? 'lego took too long to get a certificate.' : error.message;
}

function withoutTime(line: string): string {
  return line.replace(/^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d /, '');
}
