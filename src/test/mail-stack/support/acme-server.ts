import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { freePort } from '../../../../scripts/process/free-port.mjs';

/**
 * Starts pebble, an ACME server that checks challenges as Let's Encrypt does.
 * @param options.httpPort where it expects HTTP challenges instead of port 80
 */
export async function startAcmeServer({ httpPort, dnsServer }: { httpPort: number; dnsServer: string }) {
  const folder = mkdtempSync(join(tmpdir(), 'postroom-acme-'));
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  execFileSync('openssl', ['req', '-x509', ...kind, ...subject, '-keyout', key, '-out', certificate], {
    stdio: 'ignore',
  });
  const [port, managementPort] = [await freePort(), await freePort()];
  const pebble = {
    listenAddress: `127.0.0.1:${port}`,
    managementListenAddress: `127.0.0.1:${managementPort}`,
    certificate,
    privateKey: key,
    httpPort,
    certificateValidityPeriod: 90 * 86_400,
  };
  const config = join(folder, 'pebble.json');
  writeFileSync(config, JSON.stringify({ pebble }));
  const server = spawn('pebble', ['-config', config, '-dnsserver', dnsServer, '-strict'], {
    env: { PATH: process.env.PATH, PEBBLE_VA_NOSLEEP: '1', PEBBLE_AUTHZREUSE: '0' } as unknown as NodeJS.ProcessEnv,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  afterAll(async () => {
    server.kill();
    if (server.exitCode === null) await once(server, 'exit');
    rmSync(folder, { recursive: true });
  });
  await new Promise<void>((resolve, reject) => {
    server.stdout.on('data', (text) => String(text).includes('ACME directory available') && resolve());
    server.once('exit', () => reject(new Error('pebble ended.')));
  });
  return { directory: `https://127.0.0.1:${port}/dir`, caFile: certificate };
}
