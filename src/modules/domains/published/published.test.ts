import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { serveHttp } from '@/server/http/http-server';
import { db } from '@/test/database';
import { makeDomain } from '@/test/factories';
import { findPublishedHandler } from './handler';
import { mtaStsRecordValue } from './mta-sts';

const MAIL_HOST = 'mail.host.example';
const server = createServer();
let close: () => Promise<void>;
let domain: { id: string; name: string };

beforeAll(async () => {
  close = serveHttp(server, {
    appUrl: 'http://localhost:3000',
    trustedProxies: [],
    isDev: false,
    findApiHandler: () => async () => new Response('the API'),
    findPublishedHandler,
    servePage: async (_request, response) => {
      response.end('a page');
    },
    redirectOf: async () => null,
    countRequest: async () => ({ count: 1, resetMs: 60_000 }),
    refusalOf: () => null,
    observe: () => {},
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const at = new Date();
  await db.mailAgent.create({
    data: { instance: randomUUID(), host: MAIL_HOST, version: '1', startedAt: at, beatAt: at },
  });
});

afterAll(() => close());

beforeEach(async () => {
  domain = await makeDomain();
});

type Sent = { host: string; method?: string; body?: string };

async function ask(path: string, { host, method = 'GET', body }: Sent) {
  const { port } = server.address() as AddressInfo;
  const request = httpRequest({ host: '127.0.0.1', port, path, method, headers: { host, connection: 'close' } });
  const [response] = await once(request.end(body), 'response');
  return { status: response.statusCode, type: response.headers['content-type'], body: await text(response) };
}

describe('the MTA-STS policy', () => {
  const path = '/.well-known/mta-sts.txt';

  it('has the domain’s mode and the mail server, and its record’s id changes with it', async () => {
    const ids = new Set<string>();
    for (const [mode, maxAge] of [
      ['none', 86_400],
      ['testing', 86_400],
      ['enforce', 1_209_600],
    ] as const) {
      await db.domain.update({ where: { id: domain.id }, data: { mtaStsMode: mode } });
      const { status, type, body } = await ask(path, { host: `mta-sts.${domain.name}` });
      expect([status, type]).toEqual([200, 'text/plain; charset=utf-8']);
      expect(body).toBe(`version: STSv1\r\nmode: ${mode}\r\nmx: ${MAIL_HOST}\r\nmax_age: ${maxAge}\r\n`);
      ids.add(mtaStsRecordValue(body));
    }
    expect(ids.size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^v=STSv1; id=[0-9a-z]{1,32};$/);
  });

  it('has the other MX hosts that the domain accepts', async () => {
    await db.domain.update({ where: { id: domain.id }, data: { otherMxHosts: ['mx.backup.example'] } });
    const { body } = await ask(path, { host: `mta-sts.${domain.name}` });
    expect(body).toContain(`mx: ${MAIL_HOST}\r\nmx: mx.backup.example\r\n`);
  });

  it('is served whatever the case of the host name, and with a dot at its end', async () => {
    const host = `MTA-STS.${domain.name.toUpperCase()}.:443`;
    expect((await ask(path, { host })).status).toBe(200);
  });

  it('is served for managed, active domains only, and only by its own host name', async () => {
    expect((await ask(path, { host: 'mta-sts.unknown.example' })).status).toBe(404);
    expect((await ask(path, { host: domain.name })).status).toBe(404);
    await db.domain.update({ where: { id: domain.id }, data: { active: false } });
    expect((await ask(path, { host: `mta-sts.${domain.name}` })).status).toBe(404);
  });
});

it.each(['mta-sts', 'autoconfig', 'autodiscover'])('serves no pages and no API at %s.<domain>', async (label) => {
  const host = `${label}.${domain.name}:443`;
  for (const path of ['/', '/login', '/_next/static/x.js', '/api/v1/openapi.json']) {
    expect((await ask(path, { host })).status).toBe(404);
  }
  expect((await ask('/api/v1/openapi.json', { host: 'localhost:3000' })).body).toBe('the API');
  expect((await ask('/login', { host: 'localhost:3000' })).body).toBe('a page');
});

describe('autoconfig', () => {
  it('names the mail server’s services, by host name or by address', async () => {
    const byHost = await ask('/mail/config-v1.1.xml', { host: `autoconfig.${domain.name}` });
    expect([byHost.status, byHost.type]).toEqual([200, 'application/xml; charset=utf-8']);
    expect(byHost.body).toContain(`<domain>${domain.name}</domain>`);
    expect(byHost.body).toMatch(
      /<incomingServer type="imap">\s+<hostname>mail\.host\.example<\/hostname>\s+<port>993</,
    );
    expect(byHost.body).toMatch(
      /<outgoingServer type="smtp">\s+<hostname>mail\.host\.example<\/hostname>\s+<port>465</,
    );
    const path = `/.well-known/autoconfig/mail/config-v1.1.xml?emailaddress=nobody%40${domain.name}`;
    expect((await ask(path, { host: MAIL_HOST })).body).toBe(byHost.body);
    expect((await ask('/mail/config-v1.1.xml?emailaddress=a%40foreign.example', { host: MAIL_HOST })).status).toBe(404);
  });

  it('has the user name as the mail server knows it, and not as it is typed', async () => {
    const { name } = await makeDomain({ name: 'xn--bcher-kva.example' });
    const path = `/mail/config-v1.1.xml?emailaddress=${encodeURIComponent('ann@bücher.example')}`;
    const { body } = await ask(path, { host: MAIL_HOST });
    const names = [...body.matchAll(/<username>(.*)<\/username>/g)].map(([, user]) => user);
    expect([...new Set(names)]).toEqual([`%EMAILLOCALPART%@${name}`]);
  });
});

describe('autodiscover', () => {
  const requestFor = (address: string, more = '') => `<?xml version="1.0"?>
    <Autodiscover xmlns="http://schemas.microsoft.com/exchange/autodiscover/outlook/requestschema/2006">
      <Request><EMailAddress>${address}</EMailAddress>${more}</Request></Autodiscover>`;

  it('answers Outlook’s POST in any spelling of the path, the same for every address', async () => {
    const answers: string[] = [];
    for (const path of [
      '/autodiscover/autodiscover.xml',
      '/Autodiscover/Autodiscover.xml',
      '/AutoDiscover/autodiscover.xml?x=1',
    ]) {
      const address = `someone@${domain.name}`;
      const sent = { host: `autodiscover.${domain.name}`, method: 'POST', body: requestFor(address) };
      const { status, body } = await ask(path, sent);
      expect(status).toBe(200);
      expect(body).toContain(`<LoginName>${address}</LoginName>`);
      answers.push(body);
    }
    expect(new Set(answers).size).toBe(1);
  });

  const schema = (name: string) => `http://schemas.microsoft.com/exchange/autodiscover/${name}`;
  const wants = (name: string) => `<a:AcceptableResponseSchema >${schema(name)}</a:AcceptableResponseSchema>`;

  it.each([
    ['settings for Outlook', wants('outlook/responseschema/2006a'), 'LoginName'],
    ['ActiveSync', wants('mobilesync/responseschema/2006'), '<ErrorCode>601</ErrorCode>'],
  ])('a request for %s is answered with what there is', async (_, more, part) => {
    const sent = { host: `autodiscover.${domain.name}`, method: 'POST' };
    const found = await ask('/autodiscover/autodiscover.xml', {
      ...sent,
      body: requestFor(`ann@${domain.name}`, more),
    });
    expect([found.status, found.body]).toEqual([200, expect.stringContaining(part)]);
  });

  it('a request for ActiveSync alone gets an error, another one without an address', async () => {
    const sent = { host: `autodiscover.${domain.name}`, method: 'POST' };
    for (const [address, code] of [
      [`ann@${domain.name}`, 601],
      ['nobody', 600],
    ] as const) {
      const body = requestFor(address).replace('/outlook/requestschema/', '/mobilesync/requestschema/');
      const found = await ask('/autodiscover/autodiscover.xml', { ...sent, body });
      expect([found.status, found.body]).toEqual([200, expect.stringContaining(`<ErrorCode>${code}</ErrorCode>`)]);
    }
  });

  it('ignores what is not an address, and refuses other methods, long bodies and foreign domains', async () => {
    const host = `autodiscover.${domain.name}`;
    const hostile = { host, method: 'POST', body: requestFor('"&lt;x@y z') };
    expect((await ask('/autodiscover/autodiscover.xml', hostile)).body).not.toContain('LoginName');
    const long = { host, method: 'POST', body: 'x'.repeat(17 * 1024) };
    expect((await ask('/autodiscover/autodiscover.xml', long)).status).toBe(413);
    expect((await ask('/autodiscover/autodiscover.xml', { host, method: 'DELETE' })).status).toBe(405);
    expect((await ask('/mail/config-v1.1.xml', { host, method: 'POST', body: 'x' })).status).toBe(405);
    const foreign = { host: MAIL_HOST, method: 'POST', body: requestFor('a@foreign.example') };
    expect((await ask('/autodiscover/autodiscover.xml', foreign)).status).toBe(404);
  });

  it('sends newer versions of Outlook to the XML', async () => {
    const path = (protocol: string) => `/autodiscover/autodiscover.json?Email=a%40${domain.name}&Protocol=${protocol}`;
    const { body } = await ask(path('AutodiscoverV1'), { host: MAIL_HOST });
    const to = `https://autodiscover.${domain.name}/autodiscover/autodiscover.xml`;
    expect(JSON.parse(body)).toEqual({ Protocol: 'AutodiscoverV1', Url: to });
    expect((await ask(path('ActiveSync'), { host: MAIL_HOST })).status).toBe(400);
    const inPath = `/Autodiscover/autodiscover.json/v1.0/a%40${domain.name}?Protocol=AutodiscoverV1`;
    expect(JSON.parse((await ask(inPath, { host: MAIL_HOST })).body)).toEqual({ Protocol: 'AutodiscoverV1', Url: to });
    const foreign = inPath.replace(domain.name, 'foreign.example');
    expect((await ask(foreign, { host: MAIL_HOST })).status).toBe(404);
  });
});

describe('the Apple profile', () => {
  it('sets up the address, with text escaped, and asks for the address if none is given', async () => {
    const host = `autoconfig.${domain.name}`;
    const address = `o'neil&co@${domain.name}`;
    const path = `/mail/apple.mobileconfig?emailaddress=${encodeURIComponent(address)}`;
    const { type, body } = await ask(path, { host });
    expect(type).toBe('application/x-apple-aspen-config');
    expect(body).toContain(`<key>EmailAddress</key>\n<string>o&#39;neil&#38;co@${domain.name}</string>`);
    expect(body).toContain('<key>IncomingMailServerPortNumber</key>\n<integer>993</integer>');
    expect((await ask('/mail/apple.mobileconfig', { host })).body).not.toContain('<key>EmailAddress</key>');
  });

  it('reads the name of the parameter in any case', async () => {
    const host = `autoconfig.${domain.name}`;
    const { body } = await ask(`/mail/apple.mobileconfig?EmailAddress=a%40${domain.name}`, { host });
    expect(body).toContain(`<string>a@${domain.name}</string>`);
  });

  it('replaces the profile of its own address only', async () => {
    const host = `autoconfig.${domain.name}`;
    const identifiersOf = async (query: string) => {
      const { body } = await ask(`/mail/apple.mobileconfig${query}`, { host });
      return [...body.matchAll(/<key>Payload(?:Identifier|UUID)<\/key>\n<string>(.+)<\/string>/g)].map(([, id]) => id);
    };
    const of = (address: string) => identifiersOf(`?emailaddress=${encodeURIComponent(address)}`);
    const ann = await of(`ann@${domain.name}`);
    expect(await of(`Ann@${domain.name}`)).toEqual(ann);
    const all = [...ann, ...(await of(`bo@${domain.name}`)), ...(await identifiersOf(''))];
    expect(all).toHaveLength(12);
    expect(new Set(all).size).toBe(12);
  });
});

it('tells a reverse proxy which host names it may get certificates for', async () => {
  const isServed = async (name: string) =>
    (await ask(`/.well-known/published-host?domain=${name}`, { host: '127.0.0.1' })).status === 200;
  expect(await isServed(`mta-sts.${domain.name}`)).toBe(true);
  expect(await isServed('localhost')).toBe(true);
  for (const name of [
    'mta-sts.foreign.example',
    domain.name,
    `www.${domain.name}`,
    '',
    'mta-sts.%00',
    'mta-sts.a%20b',
  ]) {
    expect(await isServed(name)).toBe(false);
  }
});
