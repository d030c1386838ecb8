import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';

const GUARD = pathToFileURL(join(process.cwd(), 'scripts/demo/loopback-only.mjs')).href;

// 192.0.2.1 is reserved for documentation (RFC 5737), so no machine has it even if the guard fails.
const ATTEMPTS = `
  import { lookup, Resolver } from 'node:dns/promises';
  import { connect } from 'node:net';
  import { connect as connectTls } from 'node:tls';
  const codeOf = (work) => work.then(() => 'done', (error) => (error.cause ?? error).code);
  const opened = (socket) => new Promise((done, failed) => socket.on('connect', done).on('error', failed));
  console.log(JSON.stringify({
    lookup: await codeOf(lookup('hooks.example.com')),
    query: await codeOf(new Resolver().resolve4('hooks.example.com')),
    tcp: await codeOf(opened(connect(443, '192.0.2.1'))),
    tls: await codeOf(opened(connectTls({ host: '192.0.2.1', port: 443 }))),
    fetch: await codeOf(fetch('http://192.0.2.1/')),
    local: await codeOf(fetch('http://localhost:' + process.argv[1])),
  }));`;

it('restricts a demo process to this machine, without DNS', async () => {
  const server = createServer((_request, response) => response.end()).listen(0);
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const args = ['--import', GUARD, '--input-type=module', '--eval', ATTEMPTS, String(port)];
  const output = await new Promise<string>((resolve, reject) => {
    execFile(process.execPath, args, (error, stdout) => (error ? reject(error) : resolve(stdout)));
  });
  server.close();
  const [refused, unknown] = ['ENETUNREACH', 'ENOTFOUND'];
  expect(JSON.parse(output)).toEqual({
    lookup: unknown,
    query: unknown,
    tcp: refused,
    tls: refused,
    fetch: refused,
    local: 'done',
  });
});
