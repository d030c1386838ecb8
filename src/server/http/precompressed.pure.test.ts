import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { afterEach, expect, it } from 'vitest';
import { precompressedFiles } from './precompressed';

const SCRIPT = 'console.log("pages");'.repeat(100);

let folder = '';
let end = async () => {};
afterEach(() => end());

/** Serves a build of two files, of which one is compressed. @returns a function that requests a path */
async function serving() {
  folder = mkdtempSync(join(tmpdir(), 'static-'));
  mkdirSync(join(folder, 'chunks'));
  writeFileSync(join(folder, 'chunks', 'page.js.br'), brotliCompressSync(SCRIPT));
  writeFileSync(join(folder, 'chunks', 'plain.js'), SCRIPT);
  const find = precompressedFiles(folder);
  const server = createServer((message, response) => {
    const respond = find(message);
    if (respond) void respond(message, response);
    else response.end('Next.js');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  end = async () => {
    server.close();
    await once(server, 'close');
    rmSync(folder, { recursive: true });
  };
  const { port } = server.address() as AddressInfo;
  return async (path: string, headers: Record<string, string>, method = 'GET') => {
    const options = { host: '127.0.0.1', port, path: `/_next/static/${path}`, method, headers, agent: false };
    const [response]: [IncomingMessage] = (await once(request(options).end(), 'response')) as [IncomingMessage];
    return { headers: response.headers, body: await buffer(response) };
  };
}

it('serves a file of the build in brotli, to be kept and told apart by proxies', async () => {
  const get = await serving();
  for (const accepted of ['br', 'gzip, deflate, br, zstd', 'gzip;q=0.5, BR;q=0.9', 'br ; q=0.001,gzip']) {
    const { headers, body } = await get('chunks/page.js?dpl=1', { 'accept-encoding': accepted });
    expect(headers).toMatchObject({
      'content-encoding': 'br',
      'content-type': 'application/javascript; charset=UTF-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
    });
    expect(brotliDecompressSync(body).toString()).toBe(SCRIPT);
  }
});

it('sends no body for HEAD', async () => {
  const get = await serving();
  const { headers, body } = await get('chunks/page.js', { 'accept-encoding': 'br' }, 'HEAD');
  expect([headers['content-encoding'], body.length]).toEqual(['br', 0]);
});

it.each(['', 'gzip', 'br;q=0', 'gzip, br; q=0.0', 'brotli', 'x-br', '*'])(
  'leaves a file to Next.js for Accept-Encoding: %s',
  async (accepted) => {
    const get = await serving();
    const { body } = await get('chunks/page.js', { 'accept-encoding': accepted });
    expect(body.toString()).toBe('Next.js');
  },
);

it('leaves a file that has gone since to Next.js', async () => {
  const get = await serving();
  rmSync(join(folder, 'chunks', 'page.js.br'));
  expect((await get('chunks/page.js', { 'accept-encoding': 'br' })).body.toString()).toBe('Next.js');
});

it('leaves parts of files, files without a compressed copy and paths outside to Next.js', async () => {
  const get = await serving();
  const br = { 'accept-encoding': 'br' };
  expect((await get('chunks/page.js', { ...br, range: 'bytes=0-9' })).body.toString()).toBe('Next.js');
  for (const path of ['chunks/plain.js', 'chunks/page.js.br', '../static/chunks/page.js', 'chunks/%70age.js']) {
    expect((await get(path, br)).body.toString()).toBe('Next.js');
  }
});
