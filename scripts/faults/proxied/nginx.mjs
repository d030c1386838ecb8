import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { freePort } from '../../process/free-port.mjs';
import { findNginx } from '../../testing/test-programs.mjs';
import { childrenOf, until } from '../../testing/trial.mjs';

export const HOST_NAME = 'mail.example.com';

const READY_TIMEOUT_MS = 10_000;
const RELOAD_TIMEOUT_MS = 60_000;
const EXAMPLE = 'deploy/reverse-proxy/nginx.conf';

/**
 * nginx with the example of deploy/reverse-proxy in front of instances on these ports. Only addresses, ports and
 * certificates differ from the file.
 */
export async function startNginx({ root, ports, lifetime }) {
  const program = findNginx();
  const dir = mkdtempSync(join(tmpdir(), 'postroom-nginx-'));
  // Its workers run as another user if the tests run as root.
  chmodSync(dir, 0o755);
  const { cert } = await writeCertificate(dir);
  const port = await freePort();
  const write = (downPort) => {
    const upstream = ports.map(
      (one) => `    server 127.0.0.1:${one} fail_timeout=1s${one === downPort ? ' down' : ''};`,
    );
    writeFileSync(join(dir, 'nginx.conf'), whole(dir, adapted(root, { dir, port, upstream })));
  };
  write(undefined);
  requireValid(program, dir);
  const child = spawn(program, ['-p', dir, '-c', join(dir, 'nginx.conf')], { stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  lifetime.atEnd(async () => {
    child.kill('SIGTERM');
    await ended;
    rmSync(dir, { recursive: true, force: true });
  });
  if (!(await until(() => childrenOf(child.pid).length > 0, READY_TIMEOUT_MS))) {
    throw new Error(`nginx did not start: ${readFileSync(join(dir, 'error.log'), 'utf8')}`);
  }
  return {
    port,
    cert,
    /**
     * Reloads nginx with one instance marked as down, or with none, and waits until the old workers have finished.
     * @param {{ downPort?: number }} [options]
     */
    async reload({ downPort } = {}) {
      const before = childrenOf(child.pid);
      write(downPort);
      requireValid(program, dir);
      child.kill('SIGHUP');
      const isReplaced = () => {
        const now = childrenOf(child.pid);
        return now.length > 0 && !before.some((pid) => now.includes(pid));
      };
      if (!(await until(isReplaced, RELOAD_TIMEOUT_MS))) throw new Error('nginx did not finish reloading');
    },
  };
}

/** Replaces every line that names something of the machine, and fails if the example no longer has it. */
function adapted(root, { dir, port, upstream }) {
  let text = readFileSync(join(root, EXAMPLE), 'utf8');
  /** @type {[pattern: RegExp, replacement: string][]} */
  const replacements = [
    [/^ {4}server 127\.0\.0\.1:3000 fail_timeout=1s;$/m, upstream.join('\n')],
    [/^ +listen \[::\].*\n/gm, ''],
    [/listen 80;/g, `listen unix:${dir}/plain;`],
    [/listen 443 /g, `listen 127.0.0.1:${port} `],
    [/ssl_certificate \S+;/g, `ssl_certificate ${dir}/cert.pem;`],
    [/ssl_certificate_key \S+;/g, `ssl_certificate_key ${dir}/key.pem;`],
  ];
  for (const [pattern, replacement] of replacements) {
    if (text.search(pattern) < 0) throw new Error(`${EXAMPLE} has no ${pattern}`);
    text = text.replace(pattern, replacement);
  }
  return text;
}

function whole(dir, servers) {
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `  ${name}_temp_path ${dir}/${name};`)
    .join('\n');
  return `daemon off;
worker_processes 2;
worker_shutdown_timeout 30s;
pid ${dir}/nginx.pid;
error_log ${dir}/error.log;
events { worker_connections 1024; }
http {
  access_log off;
${folders}
${servers}
}
`;
}

function requireValid(program, dir) {
  const { status, stderr } = spawnSync(program, ['-t', '-p', dir, '-c', join(dir, 'nginx.conf')], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${EXAMPLE} is not valid: ${stderr}`);
}

async function writeCertificate(dir) {
  const { private: key, cert } = await generate([{ name: 'commonName', value: HOST_NAME }], {
    keyType: 'ec',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: HOST_NAME }] }],
  });
  writeFileSync(join(dir, 'key.pem'), key);
  writeFileSync(join(dir, 'cert.pem'), cert);
  return { cert };
}
