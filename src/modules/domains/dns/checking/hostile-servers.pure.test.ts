import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createResolver } from '@/server/dns/resolver';
import { startDns } from '@/test/servers/dns';
import { checkAt, domainFacts, entryOf, MAIL_HOST, publishedZone, recordOf } from '@/test/servers/published-domain';
import { checkWith } from './check';

const MAX_FOUND = 50;
const MAX_MX_HOSTS = 10;
const MAX_VALUE_LENGTH = 4_096;
const server = await startDns();
const facts = domainFacts();
const DMARC = `_dmarc.${facts.name}`;

afterAll(() => server.stop());
beforeEach(() => {
  server.zone = publishedZone(facts);
  server.faults = {};
});

const zoneOf = (name: string) => entryOf(server.zone, name);
/** Questions without an answer end soon. */
const check = () => checkAt(server, facts, { timeoutMs: 1_500 });

describe('a server that fails for one name', () => {
  it.each([
    ['drop', /in time/],
    ['servfail', /SERVFAIL/],
    ['refused', /REFUSED/],
    ['garbage', /in time/],
    ['other_question', /in time/],
  ] as const)('with %s costs its own record only', async (fault, message) => {
    server.faults = { [DMARC]: fault };
    const records = await check();
    expect(recordOf(records, 'dmarc')).toMatchObject({
      status: 'temporary_error',
      severity: 'warning',
      message: expect.stringMatching(message),
    });
    for (const purpose of ['mx', 'spf', 'dkim', 'host', 'ptr', 'srv']) {
      expect(recordOf(records, purpose)).toMatchObject({ status: 'ok' });
    }
  });

  it('says that a loop of CNAMEs leads nowhere', async () => {
    zoneOf(DMARC).CNAME = ['a.loop.example'];
    zoneOf('a.loop.example').CNAME = ['b.loop.example'];
    zoneOf('b.loop.example').CNAME = ['a.loop.example'];
    expect(recordOf(await check(), 'dmarc')).toMatchObject({ status: 'missing', found: [] });
  });
});

it('leaves the other records alone if one name server is dead', async () => {
  zoneOf(facts.name).NS = ['ns1.far.example', 'ns2.far.example'];
  zoneOf(facts.name).SOA = ['ns1.far.example a.far.example 1'];
  zoneOf('ns1.far.example').A = [server.address];
  zoneOf('ns2.far.example').A = ['127.0.0.77'];
  const records = await check();
  expect(recordOf(records, 'ns')).toMatchObject({ severity: 'warning', message: expect.stringMatching(/ns2\.far/) });
  expect(recordOf(records, 'mx')).toMatchObject({
    status: 'ok',
    authoritative: [
      { server: server.address, status: 'ok' },
      { server: '127.0.0.77', status: 'temporary_error' },
    ],
  });
});

it('ends every question with the check, and gives each record a status', async () => {
  server.faults = Object.fromEntries([...Object.keys(server.zone), facts.name].map((name) => [name, 'drop']));
  const servers = [{ address: server.address, port: server.port }];
  const resolver = createResolver({ servers, timeoutMs: 600_000, signal: AbortSignal.timeout(500) });
  const records = await checkWith(resolver, facts, {});
  for (const purpose of ['mx', 'spf', 'dkim', 'dmarc', 'host', 'srv', 'ownership', 'ns', 'dnssec', 'caa']) {
    expect(recordOf(records, purpose)).toMatchObject({ status: 'temporary_error' });
  }
});

it('ends what it fetches with the check', async () => {
  const enforcing = domainFacts({ mtaStsMode: 'enforce' });
  server.zone = publishedZone(enforcing);
  const servers = [{ address: server.address, port: server.port }];
  const resolver = createResolver({ servers, signal: AbortSignal.timeout(3_000) });
  const fetchText = () => new Promise<never>(() => {});
  const policy = recordOf(await checkWith(resolver, enforcing, { fetchText }), 'mta_sts', 'mta-sts.');
  expect(policy).toMatchObject({ severity: 'error', message: expect.stringMatching(/no answer in time/) });
});

it('costs its own record only if judging it fails unexpectedly', async () => {
  const enforcing = domainFacts({ mtaStsMode: 'enforce' });
  server.zone = publishedZone(enforcing);
  const fail = () => Promise.reject(new TypeError('odd'));
  const records = await checkAt(server, enforcing, { probes: { fetchText: fail, startTls: fail } });
  const failed = { status: 'temporary_error', message: expect.stringMatching(/unexpected/) };
  expect(recordOf(records, 'starttls')).toMatchObject(failed);
  expect(recordOf(records, 'mta_sts', 'mta-sts.')).toMatchObject(failed);
  expect(recordOf(records, 'mx')).toMatchObject({ status: 'ok' });
});

describe('a record that is too large', () => {
  it('is cut, and the others of its name are still read', async () => {
    server.faults = { [`TXT ${facts.name}`]: 'truncated', [`TXT ${DMARC}`]: 'truncated' };
    zoneOf(facts.name).TXT = [`other=${'x'.repeat(60_000)}`, 'v=spf1 mx -all'];
    zoneOf(DMARC).TXT = [`v=DMARC1; p=reject; rua=mailto:${'x'.repeat(60_000)}@far.example`];
    const records = await checkAt(server, facts);
    expect(recordOf(records, 'spf')).toMatchObject({ status: 'ok', found: ['v=spf1 mx -all'] });
    const { found, status } = recordOf(records, 'dmarc');
    expect([status, found.map((value) => value.length)]).toEqual(['mismatch', [MAX_VALUE_LENGTH]]);
  });

  it('is one of at most 50 that are stored, and 10 MX hosts that are judged', async () => {
    server.faults = { [`MX ${facts.name}`]: 'truncated' };
    zoneOf(facts.name).MX = Array.from({ length: 1_000 }, (_, index) => `10 mx${index}.far.example`);
    server.questions = [];
    const record = recordOf(await checkAt(server, facts), 'mx');
    expect(record).toMatchObject({ status: 'mismatch', severity: 'error' });
    expect(record.found).toHaveLength(MAX_FOUND);
    expect(new Set(server.questions.filter((question) => /^udp CNAME mx\d/.test(question))).size).toBe(MAX_MX_HOSTS);
  });

  it('may have bytes that are no text', async () => {
    zoneOf(DMARC).TXT = ['v=DMARC1; p=reject; \0\u0007'];
    expect(recordOf(await check(), 'dmarc').found).toEqual(['v=DMARC1; p=reject; \\000\\007']);
    expect(recordOf(await check(), 'host', MAIL_HOST)).toMatchObject({ status: 'ok' });
  });
});
