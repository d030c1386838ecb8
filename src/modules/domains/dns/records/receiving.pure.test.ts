import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { startDns } from '@/test/servers/dns';
import {
  checkAt,
  domainFacts,
  entryOf,
  MAIL_ADDRESS_NAME,
  MAIL_HOST,
  publishedZone,
  recordOf,
} from '@/test/servers/published-domain';

const server = await startDns();
const facts = domainFacts();

afterAll(() => server.stop());
beforeEach(() => {
  server.zone = publishedZone(facts);
  server.faults = {};
});

const zoneOf = (name: string) => entryOf(server.zone, name);
const check = async (purpose: string, name = '') => recordOf(await checkAt(server, facts), purpose, name);
const problem = (severity: string, message: RegExp, status = 'mismatch') => ({
  status,
  severity,
  message: expect.stringMatching(message),
});

it('lists the records that mail depends on first', async () => {
  const required = (await checkAt(server, facts)).map((record) => record.required);
  expect(required).toEqual([...required].sort((one, other) => Number(other) - Number(one)));
  expect(new Set(required)).toEqual(new Set([true, false]));
});

describe('MX', () => {
  const publish = (...values: string[]) => {
    zoneOf(facts.name).MX = values;
  };

  it('accepts every name of this mail server', async () => {
    zoneOf('mx.acme.example').A = zoneOf(MAIL_HOST).A ?? [];
    publish('5 MX.acme.example', `10 ${MAIL_HOST}`);
    expect(await check('mx')).toMatchObject({ status: 'ok' });
  });

  it.each<[string, string[], RegExp]>([
    ['says that there is no mail', ['0 .'], /accepts no mail/],
    ['points to another server', ['20 mx.far.example'], /mx\.far\.example, which is another server/],
    ['points nowhere', ['10 gone.far.example'], /has no address/],
    ['points to a CNAME', ['10 cname.example'], /CNAME/],
  ])('rejects a record that %s', async (_, values, message) => {
    zoneOf('mx.far.example').A = ['198.51.100.1'];
    zoneOf('cname.example').CNAME = [MAIL_HOST];
    publish(...values);
    expect(await check('mx')).toMatchObject(problem('error', message));
  });

  it('warns of another server beside this one, until it is accepted', async () => {
    zoneOf('mx.far.example').A = ['198.51.100.1'];
    publish(`10 ${MAIL_HOST}`, '20 MX.far.example');
    const found = await check('mx');
    expect(found).toMatchObject(problem('warning', /mx\.far\.example, which is another server/));
    expect(found.fix).toMatch(/other MX hosts/);
    const accepted = domainFacts({ otherMxHosts: ['mx.far.example'] });
    expect(recordOf(await checkAt(server, accepted), 'mx')).toMatchObject({ status: 'ok', severity: 'ok' });
    publish('20 mx.far.example');
    expect(recordOf(await checkAt(server, accepted), 'mx')).toMatchObject({ status: 'ok', severity: 'ok' });
  });

  it('is not judged while a target has no answer', async () => {
    publish('10 mx.far.example');
    server.faults = { 'mx.far.example': 'refused' };
    expect(await check('mx')).toMatchObject(problem('warning', /mx\.far\.example.*REFUSED/, 'temporary_error'));
  });
});

describe('the host', () => {
  it('needs IPv4, and a name for each address of either kind', async () => {
    await expect(check('host', `${MAIL_HOST} AAAA`)).rejects.toThrow();
    zoneOf(MAIL_HOST).AAAA = ['2001:db8::25'];
    const records = await checkAt(server, facts);
    expect(records.filter(({ purpose }) => purpose === 'host')).toMatchObject([
      { type: 'A', status: 'ok' },
      { type: 'AAAA', status: 'ok', found: ['2001:db8::25'], required: false },
    ]);
    expect(records.filter(({ purpose }) => purpose === 'ptr')).toMatchObject([
      { name: MAIL_ADDRESS_NAME, status: 'ok' },
      { name: expect.stringMatching(/^5\.2\.0\..*\.8\.b\.d\.0\.1\.0\.0\.2\.ip6\.arpa$/), status: 'missing' },
    ]);
    server.zone[MAIL_HOST] = {};
    expect(await check('host')).toMatchObject(problem('error', /no IPv4/, 'missing'));
  });

  it('has no problem with IPv6 if only that has no answer', async () => {
    server.faults = { [`AAAA ${MAIL_HOST}`]: 'servfail' };
    const records = await checkAt(server, facts);
    expect(records.find(({ type }) => type === 'AAAA')).toMatchObject({ status: 'temporary_error', severity: 'info' });
  });

  it('should have its own name at its addresses', async () => {
    zoneOf(MAIL_ADDRESS_NAME).PTR = ['vps-1.hoster.example'];
    expect(await check('ptr')).toMatchObject(problem('warning', /another name/));
  });
});

describe('service records', () => {
  const SERVICES = [
    ['_submissions._tcp', `0 1 465 ${MAIL_HOST}`],
    ['_submission._tcp', `0 1 587 ${MAIL_HOST}`],
    ['_imaps._tcp', `0 1 993 ${MAIL_HOST}`],
    ['_imap._tcp', `0 1 143 ${MAIL_HOST}`],
    ['_pop3s._tcp', '0 0 0 .'],
    ['_pop3._tcp', '0 0 0 .'],
    ['_autodiscover._tcp', `0 1 443 ${facts.appHost}`],
  ] as const;

  it.each(SERVICES)('expects %s to be exact', async (service, expected) => {
    expect(await check('srv', service)).toMatchObject({ status: 'ok', expected, found: [expected] });
    const name = `${service}.${facts.name}`;
    for (const wrong of ['0 1 1465 mail.host.example', `0 1 ${expected.split(' ')[2]} far.example`]) {
      zoneOf(name).SRV = [wrong];
      expect(await check('srv', service)).toMatchObject(problem('warning', /elsewhere|doesn’t offer POP3/));
    }
    zoneOf(name).SRV = [expected.replace('0 ', '5 '), expected];
    expect(await check('srv', service)).toMatchObject({ status: 'multiple', severity: 'warning' });
    delete server.zone[name];
    expect(await check('srv', service)).toMatchObject({ status: 'missing', severity: 'info', required: false });
  });
});
