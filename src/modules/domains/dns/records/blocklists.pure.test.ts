import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { startDns } from '@/test/servers/dns';
import { checkAt, domainFacts, entryOf, MAIL_HOST, publishedZone, recordOf } from '@/test/servers/published-domain';

const server = await startDns();
const facts = domainFacts();
const LISTED = '25.2.0.192.zen.list.example';
const blocklists = { addresses: ['zen.list.example'], domains: ['dbl.list.example'] };

afterAll(() => server.stop());
beforeEach(() => {
  server.zone = publishedZone(facts);
  server.faults = {};
  server.questions = [];
});

const checkAll = () => checkAt(server, facts, { probes: { blocklists } });
const check = async (name = LISTED) => recordOf(await checkAll(), 'blocklist', name);

describe('blocklists', () => {
  it('are asked for each address and for the domain, and never by their own name servers', async () => {
    entryOf(server.zone, MAIL_HOST).AAAA = ['2001:db8::25'];
    entryOf(server.zone, 'zen.list.example').NS = ['ns.list.example'];
    const listed = (await checkAll()).filter(({ purpose }) => purpose === 'blocklist');
    expect(listed.map(({ name, status, required }) => [name, status, required])).toEqual([
      [LISTED, 'ok', false],
      [expect.stringMatching(/^5\.2\.0.*\.1\.0\.0\.2\.zen\.list\.example$/), 'ok', false],
      ['acme.example.dbl.list.example', 'ok', false],
    ]);
    expect(server.questions).toContain(`udp A ${LISTED}`);
    expect(server.questions).not.toContain('udp NS zen.list.example');
  });

  it('report what they list', async () => {
    entryOf(server.zone, LISTED).A = ['127.0.0.2'];
    expect(await check()).toMatchObject({
      status: 'mismatch',
      severity: 'error',
      required: false,
      found: ['127.0.0.2'],
      message: expect.stringMatching(/192\.0\.2\.25 is listed at zen\.list\.example/),
    });
  });

  it.each(['127.255.255.252', '127.255.255.254', '127.255.255.255', '127.0.1.255'])(
    'list nothing when they refuse with %s',
    async (answer) => {
      entryOf(server.zone, LISTED).A = [answer];
      expect(await check()).toMatchObject({ severity: 'warning', message: expect.stringMatching(/refused the query/) });
    },
  );

  it('list nothing when they answer REFUSED or something else', async () => {
    server.faults = { [LISTED]: 'refused' };
    expect(await check()).toMatchObject({ severity: 'warning', message: expect.stringMatching(/refused the query/) });
    server.faults = { [LISTED]: 'servfail' };
    expect(await check()).toMatchObject({ severity: 'warning', status: 'temporary_error' });
    server.faults = {};
    entryOf(server.zone, LISTED).A = ['198.51.100.9'];
    expect(await check()).toMatchObject({ severity: 'warning', message: expect.stringMatching(/isn’t one of/) });
  });

  it('are not asked without NETWORK_CHECKS', async () => {
    const records = await checkAt(server, facts);
    expect(records.map(({ purpose }) => purpose)).not.toContain('blocklist');
  });
});
