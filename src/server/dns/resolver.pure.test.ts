import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DnsTestServer, startDns } from '@/test/servers/dns';
import { createResolver } from './resolver';

let server: DnsTestServer;
let others: DnsTestServer[];

beforeEach(async () => {
  server = await startDns();
  others = [];
});

afterEach(() => Promise.all([server, ...others].map(({ stop }) => stop())));

async function otherServer(address = '127.0.0.1', port = 0): Promise<DnsTestServer> {
  const started = await startDns({ address, port });
  others.push(started);
  return started;
}

const resolverOf = (servers: DnsTestServer[] = [server], over: Partial<Parameters<typeof createResolver>[0]> = {}) =>
  createResolver({
    servers,
    signal: new AbortController().signal,
    authoritativePort: server.port,
    timeoutMs: 400,
    allowPrivateNetworks: true,
    ...over,
  });

const NAME = 'acme.example';
const found = (...values: string[]) => expect.objectContaining({ status: 'found', values });
const failed = (reason: RegExp) =>
  expect.objectContaining({ status: 'temporary_error', reason: expect.stringMatching(reason) });

describe('a lookup', () => {
  it('gives the values as in a zone file, of every type', async () => {
    server.zone = {
      [NAME]: {
        A: ['192.0.2.1'],
        AAAA: ['2001:db8::1'],
        MX: ['10 Mail.acme.example', '0 .'],
        NS: ['ns1.acme.example'],
      },
      [`_imaps._tcp.${NAME}`]: { SRV: ['0 1 993 mail.acme.example'] },
      '1.2.0.192.in-addr.arpa': { PTR: ['mail.acme.example'] },
    };
    const { lookup } = resolverOf();
    expect(await lookup(NAME, 'A')).toEqual(found('192.0.2.1'));
    expect(await lookup(NAME, 'AAAA')).toEqual(found('2001:db8::1'));
    expect(await lookup(NAME, 'MX')).toEqual(found('10 mail.acme.example', '0 .'));
    expect(await lookup(`_imaps._tcp.${NAME}`, 'SRV')).toEqual(found('0 1 993 mail.acme.example'));
    expect(await lookup('1.2.0.192.in-addr.arpa', 'PTR')).toEqual(found('mail.acme.example'));
  });

  it('joins the parts of a long TXT record', async () => {
    const key = `v=DKIM1; k=rsa; p=${'A'.repeat(700)}`;
    server.zone = { [NAME]: { TXT: [key, 'v=spf1 -all'] } };
    expect(await resolverOf().lookup(NAME, 'TXT')).toEqual(found(key, 'v=spf1 -all'));
  });

  it.each(['no_edns', 'other_edns'] as const)(
    'asks without EDNS a server that does not know it (%s)',
    async (fault) => {
      server.zone = { [NAME]: { TXT: ['v=spf1 -all'] } };
      server.faults = { [NAME]: fault };
      expect(await resolverOf().lookup(NAME, 'TXT')).toEqual(found('v=spf1 -all'));
      expect(server.questions).toHaveLength(2);
    },
  );

  it('writes control characters as in a zone file, because a database stores no NUL', async () => {
    server.zone = { [NAME]: { TXT: ['v=spf1 \0\n-all'] } };
    expect(await resolverOf().lookup(NAME, 'TXT')).toEqual(found('v=spf1 \\000\\010-all'));
  });

  it.each([`${'x'.repeat(64)}.example`, `${'x.'.repeat(124)}example`, 'a..example', ''])(
    'finds nothing at a name that can’t exist, without a question: %s',
    async (name) => {
      expect(await resolverOf().lookup(name, 'A')).toMatchObject({ status: 'missing', values: [] });
      expect(server.questions).toEqual([]);
    },
  );

  it('asks for a name as long as names may be', async () => {
    const name = `${'x'.repeat(63)}.${'x.'.repeat(91)}example`;
    server.zone = { [name]: { A: ['192.0.2.1'] } };
    expect(await resolverOf().lookup(name, 'A')).toEqual(found('192.0.2.1'));
  });

  it('tells a missing record from a server without an answer', async () => {
    server.zone = { [NAME]: { A: ['192.0.2.1'] } };
    expect(await resolverOf().lookup(NAME, 'MX')).toMatchObject({ status: 'missing' });
    expect(await resolverOf().lookup('gone.example', 'A')).toMatchObject({ status: 'missing' });
    server.faults = { [NAME]: 'servfail' };
    expect(await resolverOf().lookup(NAME, 'A')).toEqual(failed(/SERVFAIL/));
    server.faults = { [NAME]: 'refused' };
    expect(await resolverOf().lookup(NAME, 'A')).toEqual(failed(/REFUSED/));
    server.faults = { [NAME]: 'drop' };
    expect(await resolverOf().lookup(NAME, 'A')).toEqual(failed(/in time/));
  });

  it('follows CNAMEs, and finds nothing in a loop', async () => {
    server.zone = {
      [`www.${NAME}`]: { CNAME: [`a.${NAME}`] },
      [`a.${NAME}`]: { CNAME: [NAME] },
      [NAME]: { A: ['192.0.2.1'] },
      'loop.example': { CNAME: ['pool.example'] },
      'pool.example': { CNAME: ['loop.example'] },
    };
    expect(await resolverOf().lookup(`www.${NAME}`, 'A')).toEqual(found('192.0.2.1'));
    expect(await resolverOf().lookup('loop.example', 'A')).toMatchObject({ status: 'missing' });
  });

  it('asks again by TCP if the answer did not fit', async () => {
    server.zone = { [NAME]: { TXT: Array.from({ length: 30 }, (_, i) => `${i} ${'x'.repeat(300)}`) } };
    server.faults = { [NAME]: 'truncated' };
    expect((await resolverOf([server], { timeoutMs: 5_000 }).lookup(NAME, 'TXT')).values).toHaveLength(30);
    expect(server.questions).toEqual([`udp TXT ${NAME}`, `tcp TXT ${NAME}`]);
  });

  it('ignores forged packets and those that are not DNS', async () => {
    server.zone = { [NAME]: { A: ['192.0.2.1'] } };
    server.faults = { [NAME]: 'forged' };
    expect(await resolverOf().lookup(NAME, 'A')).toEqual(found('192.0.2.1'));
    server.faults = { [NAME]: 'garbage' };
    expect(await resolverOf().lookup(NAME, 'A')).toEqual(failed(/in time/));
  });

  it('asks the next resolver if one has no answer, and each question once', async () => {
    const backup = await otherServer();
    backup.zone = { [NAME]: { A: ['192.0.2.1'] } };
    server.faults = { [NAME]: 'servfail' };
    const { lookup } = resolverOf([server, backup]);
    expect(await Promise.all([lookup(NAME, 'A'), lookup(NAME.toUpperCase(), 'A')])).toEqual([
      found('192.0.2.1'),
      found('192.0.2.1'),
    ]);
    expect([server.questions, backup.questions]).toEqual([[`udp A ${NAME}`], [`udp A ${NAME}`]]);
  });

  it('goes to a resolver that has not answered once more only if the others fail', async () => {
    const backup = await otherServer();
    backup.zone = { [NAME]: { A: ['192.0.2.1'], MX: ['10 a.example'] } };
    server.faults = { [NAME]: 'drop' };
    const { lookup } = resolverOf([server, backup]);
    expect(await lookup(NAME, 'A')).toEqual(found('192.0.2.1'));
    expect(await lookup(NAME, 'MX')).toEqual(found('10 a.example'));
    expect(server.questions).toEqual([`udp A ${NAME}`]);
    backup.faults = { [NAME]: 'servfail' };
    expect(await lookup(NAME, 'TXT')).toEqual(failed(/in time/));
    expect(server.questions).toContain(`udp TXT ${NAME}`);
  });

  describe('of names that nobody answers', () => {
    const names = Array.from({ length: 300 }, (_, index) => `d${index}.example`);
    let ending: AbortController;
    beforeEach(() => {
      server.faults = Object.fromEntries(names.map((name) => [name, 'drop']));
      ending = new AbortController();
    });
    afterEach(() => ending.abort());
    /** By several checks, each of which asks about some of them. */
    const askAll = (checks: number) =>
      Promise.all(
        Array.from({ length: checks }, () =>
          resolverOf([server], { timeoutMs: 60_000, signal: ending.signal }),
        ).flatMap(({ lookup }, check) =>
          names.filter((_, index) => index % checks === check).map((name) => lookup(name, 'A')),
        ),
      );

    it.each([
      [40, 'check', 1],
      [200, 'process', 6],
    ])('is one of at most %i at once in the %s; the others wait for their turn', async (limit, _, checks) => {
      const lookups = askAll(checks);
      // Each is sent again after a while, by which time the others would have been sent too.
      await expect.poll(() => server.questions.length).toBe(2 * limit);
      expect(new Set(server.questions).size).toBe(limit);
      ending.abort();
      expect(await lookups).toEqual(names.map(() => failed(/in time/)));
      expect(await resolverOf().lookup(NAME, 'A')).toMatchObject({ status: 'missing' });
    });

    it('leaves other checks their turn', async () => {
      const lookups = askAll(1);
      server.zone = { [NAME]: { A: ['192.0.2.1'] } };
      expect(await resolverOf().lookup(NAME, 'A')).toEqual(found('192.0.2.1'));
      ending.abort();
      await lookups;
    });
  });

  it('ends with its signal', async () => {
    server.faults = { [NAME]: 'drop' };
    const ending = new AbortController();
    const lookup = resolverOf([server], { timeoutMs: 60_000, signal: ending.signal }).lookup(NAME, 'A');
    ending.abort();
    expect(await lookup).toEqual(failed(/in time/));
  });
});

describe('an authoritative lookup', () => {
  it('asks every name server of the closest zone, whatever the resolver says', async () => {
    const { port } = server;
    const [one, two] = [await otherServer('127.0.0.2', port), await otherServer('127.0.0.3', port)];
    server.zone = {
      [NAME]: { NS: ['ns1.host.example', 'ns2.host.example', 'gone.host.example'] },
      'ns1.host.example': { A: ['127.0.0.2'] },
      'ns2.host.example': { A: ['127.0.0.3'] },
    };
    one.zone = { [`_dmarc.${NAME}`]: { TXT: ['v=DMARC1; p=none'] } };
    two.faults = { [`_dmarc.${NAME}`]: 'servfail' };
    const answers = await resolverOf().lookupAuthoritative(`_dmarc.${NAME}`, 'TXT');
    expect(answers).toEqual([
      { server: '127.0.0.2', lookup: found('v=DMARC1; p=none') },
      { server: '127.0.0.3', lookup: failed(/SERVFAIL/) },
    ]);
  });

  it('gives up on a name server that answers nothing, and not on one that leaves a single question open', async () => {
    const { port } = server;
    const [silent, other] = [await otherServer('127.0.0.2', port), await otherServer('127.0.0.3', port)];
    const names = Array.from({ length: 20 }, (_, index) => `s${index}.${NAME}`);
    server.zone = {
      [NAME]: { NS: ['ns1.host.example', 'ns2.host.example'] },
      'ns1.host.example': { A: ['127.0.0.2'] },
      'ns2.host.example': { A: ['127.0.0.3'] },
    };
    silent.faults = Object.fromEntries(names.map((name) => [name, 'drop']));
    other.zone = Object.fromEntries(names.map((name) => [name, { A: ['192.0.2.1'] }]));
    other.faults = { [`s1.${NAME}`]: 'drop' };
    const { lookupAuthoritative } = resolverOf([server], { timeoutMs: 5_000 });
    const answers = await Promise.all(names.map((name) => lookupAuthoritative(name, 'A')));
    expect(answers.map(([one]) => one?.lookup)).toEqual(names.map(() => failed(/in time/)));
    expect(new Set(silent.questions).size).toBeLessThan(names.length);
    expect(answers.map(([, two]) => two?.lookup)).toEqual(
      names.map((_, index) => (index === 1 ? failed(/in time/) : found('192.0.2.1'))),
    );
  });

  it('follows an alias to a name that other servers hold', async () => {
    const one = await otherServer('127.0.0.2', server.port);
    server.zone = {
      [NAME]: { NS: ['ns1.host.example'] },
      'ns1.host.example': { A: ['127.0.0.2'] },
      'key.far.example': { TXT: ['v=DKIM1; p=far'] },
    };
    one.zone = { [`s1._domainkey.${NAME}`]: { CNAME: ['key.far.example'] } };
    expect(await resolverOf().lookupAuthoritative(`s1._domainkey.${NAME}`, 'TXT')).toEqual([
      { server: '127.0.0.2', lookup: found('v=DKIM1; p=far') },
    ]);
  });

  it.each([
    ['A', '127.0.0.1'],
    ['A', '10.0.0.1'],
    ['A', '0.0.0.0'],
    ['A', '169.254.169.254'],
    ['A', '224.0.0.251'],
    ['AAAA', '::ffff:127.0.0.1'],
  ])('asks no name server at a private address (%s %s)', async (type, address) => {
    server.zone = { [NAME]: { NS: ['ns1.host.example'] }, 'ns1.host.example': { [type]: [address] } };
    const { lookupAuthoritative, zoneOf } = resolverOf([server], { allowPrivateNetworks: undefined });
    expect(await lookupAuthoritative(NAME, 'TXT')).toEqual([]);
    const unasked = { host: 'ns1.host.example', address: null, problem: 'has no public address' };
    expect(await zoneOf(NAME)).toEqual({ name: NAME, servers: [unasked] });
    expect(server.questions).not.toContain(`udp TXT ${NAME}`);
  });

  it('is empty if nobody knows the name servers', async () => {
    expect(await resolverOf().lookupAuthoritative(`_dmarc.${NAME}`, 'TXT')).toEqual([]);
  });
});
