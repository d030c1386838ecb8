import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, createServer, request as httpRequest, type RequestOptions } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findApiHandler, observeRequest } from '@/api';
import { findPublishedHandler } from '@/modules/domains/published/handler';
import { serveHttp } from '@/server/http/http-server';
import { setSettings } from '@/test/settings';
import '@/test/database';
import { keyClient } from '@/test/rest';
import { scrape } from '@/test/scrape';

setSettings({ METRICS_TOKEN: 'metrics-token-of-the-tests', RATE_LIMIT_PER_MINUTE: '0' });

const REQUESTS = 1_500;
const CONCURRENCY = 20;

const server = createServer();
const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY });
const { headers: credentials } = await keyClient({ role: 'admin' });
let close: () => Promise<void>;

beforeAll(async () => {
  close = serveHttp(server, {
    appUrl: 'http://localhost:3000',
    trustedProxies: [],
    isDev: false,
    findApiHandler,
    findPublishedHandler,
    servePage: async (request, response) => {
      response.statusCode = request.url?.includes('missing') ? 404 : 200;
      response.end('a page');
    },
    redirectOf: async () => null,
    countRequest: async () => ({ count: 1, resetMs: 60_000 }),
    refusalOf: () => null,
    observe: observeRequest,
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(async () => {
  agent.destroy();
  await close();
});

const odd = () => randomBytes(6).toString('hex');

/** One request of each kind, with values that nobody has used before. */
const KINDS: (() => RequestOptions & { body?: string })[] = [
  () => ({ path: `/${odd()}` }),
  () => ({ path: `/${odd()}/${odd()}?${odd()}=${odd()}` }),
  () => ({ path: `/domains/${odd()}` }),
  () => ({ path: `/messages/missing-${odd()}/${odd()}` }),
  () => ({ path: `/_next/static/${odd()}.js` }),
  () => ({ path: `/api/${odd()}` }),
  () => ({ path: `/api/v1/${odd()}/${odd()}` }),
  () => ({ path: `/api/v1/domains/${randomUUID()}`, headers: { authorization: `Bearer ${odd()}` } }),
  () => ({ path: `/api/v1/domains/%${odd()}`, headers: credentials }),
  () => ({ path: `/api/v1/aliases?domain_id=${randomUUID()}`, headers: credentials }),
  () => ({ path: `/api/trpc/${odd()}.${odd()}` }),
  () => ({ path: `/api/v1/webhooks/${odd()}`, method: 'DELETE' }),
  () => ({ path: `/${odd()}`, method: 'PROPFIND' }),
  () => ({ path: '/', headers: { host: `${odd()}.example`, 'user-agent': odd(), 'x-forwarded-for': odd() } }),
  () => ({ path: '/', headers: { host: `bad host ${odd()}` } }),
  () => ({ path: '/.well-known/mta-sts.txt', headers: { host: `mta-sts.${odd()}.example` } }),
  () => ({
    ...json({ from: { email: `a@${odd()}.example` }, to: [{ email: `b@${odd()}.example` }] }),
    path: '/api/v1/send',
  }),
];

function json(body: object) {
  return {
    method: 'POST',
    headers: { ...credentials, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
}

function send({ body, ...options }: RequestOptions & { body?: string }): Promise<void> {
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve) => {
    const request = httpRequest({ host: '127.0.0.1', port, agent, ...options }, (response) => {
      response.resume().once('close', resolve);
    });
    // A refused request may lose its connection before its response.
    request.once('error', () => resolve());
    request.end(body);
  });
}

async function sendAll(count: number): Promise<void> {
  let started = 0;
  const sender = async () => {
    while (started < count) {
      const kind = KINDS[started++ % KINDS.length];
      if (kind) await send(kind());
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, sender));
}

describe('the number of series', () => {
  it('does not grow with paths, hosts, header values, domains and keys that nobody has used before', async () => {
    await sendAll(KINDS.length * 10);
    const { samples: before } = await scrape();
    await sendAll(REQUESTS);
    const { samples: after } = await scrape();
    const counted = (samples: typeof before) =>
      [...samples].reduce((sum, [name, value]) => (name.startsWith(`${DURATION}_count`) ? sum + value : sum), 0);
    expect(counted(after) - counted(before)).toBeGreaterThan(REQUESTS * 0.9);
    expect([...after.keys()].filter((sample) => !before.has(sample))).toEqual([]);
  });

  it('has templates and groups of pages as routes', async () => {
    const { samples } = await scrape();
    const routes = [...samples.keys()].flatMap((sample) => /_count\{.*route="([^"]+)"/.exec(sample)?.[1] ?? []);
    expect([...new Set(routes)].toSorted()).toEqual([
      '/',
      '/_next/*',
      '/api/trpc',
      '/api/v1/*',
      '/api/v1/aliases',
      '/api/v1/domains/{id}',
      '/api/v1/send',
      '/api/v1/webhooks/{id}',
      '/domains/*',
      '/messages/*',
      'other',
      'published',
    ]);
  });
});

const DURATION = 'postroom_http_request_duration_seconds';
