import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { currentPage } from '@/lib/page-request';
import type { WebHandler, WebRequest } from './fetch-adapter';
import { renderWithData } from './page-request';

let server: Server;
let seen: WebRequest[];
let respond: WebHandler;

beforeEach(async () => {
  seen = [];
  respond = async () => new Response('data');
  const consoleApi = (request: WebRequest) => {
    seen.push(request);
    return respond(request);
  };
  server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://localhost').searchParams.get('call') ?? '/api/trpc/auth.me';
    void renderWithData(request, response, consoleApi, async () => {
      const page = currentPage();
      const called =
        page &&
        (await page.call(url).then(
          (answer) => answer.text(),
          (error: Error) => error.message,
        ));
      response.end(JSON.stringify({ zone: page?.timeZone, called }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterEach(() => {
  server.close();
});

async function rendered(headers: Record<string, string>, path = '/') {
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, { headers });
  return response.json();
}

it('a page is rendered with the data of its admin, in the zone of the cookie', async () => {
  const cookie = 'postroom_session=s; postroom-time-zone=America/Argentina/Buenos_Aires';
  const page = await rendered({
    cookie,
    'user-agent': 'Firefox',
    authorization: 'Bearer key',
    origin: 'https://far.example',
  });
  expect(page).toEqual({ zone: 'America/Argentina/Buenos_Aires', called: 'data' });
  expect(Object.fromEntries(seen[0]?.headers.entries() ?? [])).toEqual({ cookie, 'user-agent': 'Firefox' });
});

it.each([
  ['without the cookie', { cookie: 'postroom_session=s' }],
  ['with a zone that is not listed', { cookie: 'postroom-time-zone=europe/berlin' }],
  ['with a cookie that cannot be decoded', { cookie: 'postroom-time-zone=%E0%A4%A' }],
  ['that Next.js loads for the next page', { cookie: 'postroom-time-zone=UTC', 'sec-fetch-dest': 'empty' }],
])('a page %s is rendered without data', async (_, headers) => {
  expect(await rendered(headers)).toEqual({});
  expect(seen).toEqual([]);
});

it('a page goes out without data that takes too long', async () => {
  respond = () => new Promise(() => {});
  expect(await rendered({ cookie: 'postroom-time-zone=UTC' })).toEqual({
    zone: 'UTC',
    called: 'the data takes too long',
  });
});

it('a page can call nothing but the console’s API', async () => {
  const { called } = await rendered({ cookie: 'postroom-time-zone=UTC' }, '/?call=https://far.example/api/v1/auth/me');
  expect(called).toBe('/api/v1/auth/me is not of the console’s API');
  expect(seen).toEqual([]);
});

it('pages that are rendered at the same time know their own request', async () => {
  respond = async ({ headers }) => new Response(headers.get('cookie'));
  const zones = ['UTC', 'Europe/Berlin', 'Asia/Kolkata'];
  const pages = zones.map((zone) => rendered({ cookie: `postroom-time-zone=${zone}` }));
  expect(await Promise.all(pages)).toEqual(zones.map((zone) => ({ zone, called: `postroom-time-zone=${zone}` })));
});
