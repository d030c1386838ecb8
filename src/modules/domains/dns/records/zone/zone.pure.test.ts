import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DnsTestServer, startDns } from '@/test/servers/dns';
import { checkAt, domainFacts, entryOf, publishedZone, recordOf } from '@/test/servers/published-domain';

const server = await startDns();
const facts = domainFacts();
const NAME = facts.name;
let others: DnsTestServer[] = [];

afterAll(() => server.stop());
afterEach(async () => {
  await Promise.all(others.map(({ stop }) => stop()));
  others = [];
});
beforeEach(() => {
  server.zone = publishedZone(facts);
  server.faults = {};
  server.signed = [];
});

const zoneOf = (name: string) => entryOf(server.zone, name);
const check = async (purpose: string, name = '', over = facts) => recordOf(await checkAt(server, over), purpose, name);
const problem = (severity: string, message: RegExp, status = 'mismatch') => ({
  status,
  severity,
  message: expect.stringMatching(message),
});

describe('name servers', () => {
  const soa = (serial: number) => ({ [NAME]: { SOA: [`ns1.${NAME} hostmaster.${NAME} ${serial}`] } });

  /** Two, on addresses of their own. */
  async function publish(one: number, two: number) {
    zoneOf(NAME).NS = [`ns1.${NAME}`, `ns2.${NAME}`];
    zoneOf(`ns1.${NAME}`).A = ['127.0.0.2'];
    zoneOf(`ns2.${NAME}`).A = ['127.0.0.3'];
    others = [
      await startDns({ address: '127.0.0.2', port: server.port }),
      await startDns({ address: '127.0.0.3', port: server.port }),
    ];
    for (const [index, serial] of [one, two].entries()) {
      const other = others[index];
      if (other) other.zone = { ...server.zone, ...soa(serial) };
    }
  }

  it('agree on the version of the zone', async () => {
    await publish(7, 7);
    expect(await check('ns')).toMatchObject({
      ...problem('ok', /^All 2/, 'ok'),
      name: NAME,
      found: [`ns1.${NAME}`, `ns2.${NAME}`],
      authoritative: [
        { server: '127.0.0.2', found: ['7'], status: 'ok' },
        { server: '127.0.0.3', found: ['7'], status: 'ok' },
      ],
    });
  });

  it.each([
    [7, 6],
    [4_294_967_295, 3],
  ])('are named if they are behind (%i, %i)', async (one, two) => {
    await publish(one, two);
    const behind = one > 2 ** 31 ? 'ns1' : 'ns2';
    expect(await check('ns')).toMatchObject(problem('warning', new RegExp(`${behind}.* is behind`)));
  });

  it('are named if they don’t have the zone, don’t answer, or have no address, and cost no other record', async () => {
    await publish(7, 7);
    const other = others[1] as DnsTestServer;
    other.faults = { [NAME]: 'lame' };
    expect(await check('ns')).toMatchObject(problem('warning', /ns2.* doesn’t have the zone/));
    other.faults = { [NAME]: 'refused' };
    expect(await check('ns')).toMatchObject(problem('warning', /ns2.*REFUSED/));
    server.zone[`ns2.${NAME}`] = {};
    expect(await check('ns')).toMatchObject({ ...problem('warning', /ns2.* has no address/), required: false });
    expect(await check('mx')).toMatchObject({ status: 'ok' });
  });

  it('break the domain if none of them has the zone', async () => {
    await publish(7, 7);
    for (const other of others) other.faults = { [NAME]: 'lame' };
    expect(await check('ns')).toMatchObject({ ...problem('error', /ns1.*ns2/), required: true });
  });

  it('should be two, and are those of the parent zone for a name within it', async () => {
    await publish(7, 7);
    expect(await check('ns', NAME, domainFacts({ name: `mail.${NAME}` }))).toMatchObject({ status: 'ok' });
    zoneOf(NAME).NS = [`ns1.${NAME}`];
    expect(await check('ns')).toMatchObject(problem('warning', /only one/));
    delete zoneOf(NAME).NS;
    expect(await check('ns')).toMatchObject(problem('info', /can’t be found/, 'missing'));
  });
});

describe('DNSSEC', () => {
  const DS = '12345 13 2 aabb';
  beforeEach(() => {
    zoneOf(NAME).NS = ['ns.far.example'];
    zoneOf(NAME).SOA = [`ns1.${NAME} hostmaster.${NAME} 1`];
  });

  it('is ok if the resolver has verified the signatures', async () => {
    zoneOf(NAME).DS = [DS];
    server.signed = [NAME];
    expect(await check('dnssec')).toMatchObject({ status: 'ok', severity: 'ok', found: [DS] });
  });

  it('is optional, and not judged by a resolver that doesn’t verify', async () => {
    expect(await check('dnssec')).toMatchObject({ ...problem('info', /isn’t signed/, 'missing'), required: false });
    zoneOf(NAME).DS = [DS];
    expect(await check('dnssec')).toMatchObject(problem('info', /don’t verify/, 'ok'));
  });

  it('breaks the domain if its signatures are invalid, which is no mere failure', async () => {
    zoneOf(NAME).DS = [DS];
    server.faults = { [`SOA ${NAME}`]: 'bogus' };
    expect(await check('dnssec')).toMatchObject({ ...problem('error', /invalid/, 'insecure'), required: true });
    server.faults = { [`SOA ${NAME}`]: 'servfail' };
    expect(await check('dnssec')).toMatchObject(problem('warning', /SERVFAIL/, 'temporary_error'));
  });
});

describe('CAA', () => {
  it('may be absent', async () => {
    expect(await check('caa', NAME)).toMatchObject({ status: 'ok', found: [] });
    expect(await check('caa', facts.mailHost)).toMatchObject({ status: 'ok', found: [] });
  });

  it.each<[string[], string]>([
    [['0 issue "letsencrypt.org"'], 'ok'],
    [['0 issue "LetsEncrypt.org;validationmethods=dns-01"', '0 issue "other.example"'], 'ok'],
    [['0 iodef "mailto:a@b.example"'], 'ok'],
    [['0 issue ";"'], 'mismatch'],
    [['0 issue "other.example"'], 'mismatch'],
    [['0 issue "letsencrypt.org"', '128 unknown "x"'], 'mismatch'],
  ])('with %j is judged as %s', async (values, status) => {
    zoneOf(NAME).CAA = values;
    expect(await check('caa', NAME)).toMatchObject({ status, required: false });
  });

  it('is inherited from the closest parent that has some', async () => {
    zoneOf('host.example').CAA = ['0 issue "other.example"'];
    expect(await check('caa', facts.mailHost)).toMatchObject(problem('error', /CAA records of host\.example/));
    zoneOf(facts.mailHost).CAA = ['0 issue "letsencrypt.org"'];
    expect(await check('caa', facts.mailHost)).toMatchObject({ status: 'ok' });
  });

  it('is judged by its first 50 records', async () => {
    const others = Array.from({ length: 50 }, (_, index) => `0 issue "other${index}.example"`);
    zoneOf(NAME).CAA = [...others, '0 issue "letsencrypt.org"'];
    server.faults = { [`CAA ${NAME}`]: 'truncated' };
    expect(await check('caa', NAME)).toMatchObject({ status: 'mismatch', found: others });
  });

  it('permits the authority that is set', async () => {
    zoneOf(NAME).CAA = ['0 issue "other.example"'];
    expect(await check('caa', NAME, domainFacts({ certificateIssuer: 'other.example' }))).toMatchObject({
      status: 'ok',
    });
  });
});
