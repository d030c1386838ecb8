import { connect } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type DnsTestServer, startDns } from '@/test/servers/dns';
import { type HttpsReceiver, startHttpsReceiver, testCertificate } from '@/test/servers/https-receiver';
import { autoconfigXml } from '../../published/autoconfig';
import { autodiscoverXml } from '../../published/autodiscover';
import { mtaStsPolicy, mtaStsRecordValue } from '../../published/mta-sts';
import type { DomainFacts, Probes } from '../records/record';
import { zoneFile } from '../zone-file';
import { checkDomain } from './check';
import { textFetcher } from './probes';

const NAME = 'acme.example';
const ADDRESS = '192.0.2.25';
const facts: DomainFacts = {
  name: NAME,
  mailHost: 'mail.host.example',
  appHost: 'app.host.example',
  mtaStsMode: 'enforce',
  otherMxHosts: [],
  dkimKeys: [],
  ownershipToken: 'token',
  certificateIssuer: 'letsencrypt.org',
  relaySpf: null,
  relayHost: null,
};

let dns: DnsTestServer;
let web: HttpsReceiver;
let served: { status?: number; body: string };
let probes: Probes;

beforeAll(async () => {
  const certificate = await testCertificate({
    names: ['mta-sts', 'autoconfig', 'autodiscover'].map((label) => `${label}.${NAME}`),
  });
  [dns, web] = await Promise.all([startDns(), startHttpsReceiver({ handler: () => served, certificate })]);
  const fetchText = textFetcher({
    allowPrivateNetworks: true,
    ca: web.ca,
    resolve: async () => ['127.0.0.1'],
    connect: (options) => connect({ ...options, port: web.port }),
  });
  probes = { fetchText };
});

afterAll(() => Promise.all([dns.stop(), web.close()]));

beforeEach(() => {
  served = { body: mtaStsPolicy(facts) };
  dns.zone = {
    'mail.host.example': { A: [ADDRESS] },
    'app.host.example': { A: [ADDRESS] },
    [NAME]: { MX: ['10 mail.host.example'] },
    [`_mta-sts.${NAME}`]: { TXT: [mtaStsRecordValue(mtaStsPolicy(facts))] },
    [`mta-sts.${NAME}`]: { CNAME: ['app.host.example'] },
    [`autoconfig.${NAME}`]: { A: [ADDRESS] },
    [`autodiscover.${NAME}`]: { CNAME: ['app.host.example'] },
  };
});

async function check(over: Partial<DomainFacts> = {}, given = probes) {
  const servers = [{ address: '127.0.0.1', port: dns.port }];
  const records = await checkDomain({ ...facts, ...over }, { servers, probes: given });
  return new Map(records.map((record) => [record.name, record]));
}

describe('MTA-STS', () => {
  const recordName = `_mta-sts.${NAME}`;
  const hostName = `mta-sts.${NAME}`;

  it('is ok if the record, the policy and the MX records agree', async () => {
    const records = await check();
    expect(records.get(recordName)).toMatchObject({ status: 'ok', severity: 'ok' });
    expect(records.get(hostName)).toMatchObject({ status: 'ok', severity: 'ok', found: ['app.host.example'] });
    expect(web.requests.at(-1)).toMatchObject({ method: 'GET', path: '/.well-known/mta-sts.txt' });
  });

  it('is no worse in testing mode than not set', async () => {
    const testing = { ...facts, mtaStsMode: 'testing' as const };
    dns.zone[recordName] = { TXT: [mtaStsRecordValue(mtaStsPolicy(testing))] };
    const records = await check(testing);
    expect(records.get(recordName)).toMatchObject({ status: 'ok', severity: 'info' });
  });

  it.each([
    ['missing', [], 'missing'],
    ['published twice', ['v=STSv1; id=1', 'v=STSv1; id=2'], 'multiple'],
    ['that of an earlier policy', ['v=STSv1; id=20200101'], 'mismatch'],
    ['without an id', ['v=STSv1;'], 'mismatch'],
  ])('finds a record that is %s', async (_case, TXT, status) => {
    dns.zone[recordName] = { TXT: ['unrelated', ...TXT] };
    expect((await check()).get(recordName)).toMatchObject({ status });
  });

  it('is an error if a strict policy excludes an MX host', async () => {
    dns.zone[NAME] = { MX: ['10 mail.host.example', '20 backup.example'] };
    const { status, severity, message } = (await check()).get(recordName) ?? {};
    expect([status, severity]).toEqual(['mismatch', 'error']);
    expect(message).toContain('backup.example');
  });

  it.each([
    ['another policy is served', { body: 'version: STSv1\r\nmode: none\r\nmx: x\r\nmax_age: 1\r\n' }, 'another policy'],
    ['nothing is served', { status: 404, body: '' }, 'The server responded 404'],
    ['another page is served', { body: '<html>'.repeat(20_000) }, 'another policy'],
  ])('is an error if %s', async (_case, answer, text) => {
    served = answer;
    const record = (await check()).get(hostName);
    expect(record).toMatchObject({ status: 'mismatch', severity: 'error' });
    expect(record?.message).toContain(text);
  });

  it('may be at a host of others that has the policy', async () => {
    dns.zone[hostName] = { A: ['192.0.2.80'] };
    expect((await check()).get(hostName)).toMatchObject({ status: 'ok', found: ['192.0.2.80'] });
    const elsewhere = {
      status: 'mismatch',
      severity: 'warning',
      message: 'The host name points to 192.0.2.80.',
      fix: 'Point it to app.host.example.',
    };
    expect((await check({}, {})).get(hostName), 'without network checks').toMatchObject(elsewhere);
    served = { status: 404, body: '' };
    expect((await check()).get(hostName)).toMatchObject(elsewhere);
  });

  it('reports a certificate that isn’t trusted, and does not connect without network checks', async () => {
    const strict = textFetcher({
      allowPrivateNetworks: true,
      resolve: async () => ['127.0.0.1'],
      connect: (options) => connect({ ...options, port: web.port }),
    });
    expect((await check({}, { fetchText: strict })).get(hostName)?.message).toContain('certificate');
    const before = web.requests.length;
    expect((await check({}, {})).get(hostName)).toMatchObject({ status: 'ok' });
    expect(web.requests).toHaveLength(before);
  });

  it('asks for nothing while it is off, but reports a record that was left', async () => {
    const off = { mtaStsMode: 'none' as const };
    const left = (await check(off)).get(recordName);
    expect(left).toMatchObject({ status: 'mismatch', severity: 'warning', expected: null });
    delete dns.zone[recordName];
    const records = await check(off);
    expect(records.get(recordName)).toMatchObject({ status: 'missing', severity: 'info', required: false });
    expect(records.has(hostName)).toBe(false);
    expect(zoneFile({ ...facts, ...off }, [])).not.toContain('mta-sts');
  });
});

describe('the host names of mail programs', () => {
  it('may point to the app by CNAME or by address', async () => {
    const records = await check();
    expect(records.get(`autoconfig.${NAME}`)).toMatchObject({ status: 'ok', found: [ADDRESS] });
    expect(records.get(`autodiscover.${NAME}`)).toMatchObject({ status: 'ok', found: ['app.host.example'] });
    expect(zoneFile(facts, [])).toContain(`autoconfig.${NAME}. 3600 IN CNAME app.host.example.`);
  });

  it.each([
    ['autoconfig', autoconfigXml(facts)],
    ['autodiscover', autodiscoverXml(facts, null)],
  ])('may be at a host of others that has the settings (%s)', async (label, body) => {
    const host = `${label}.${NAME}`;
    dns.zone[host] = { A: ['192.0.2.80'] };
    served = { body };
    expect((await check()).get(host)).toMatchObject({ status: 'ok', found: ['192.0.2.80'] });
    served = { body: body.replaceAll(facts.mailHost, 'mail.other.example') };
    expect((await check()).get(host)).toMatchObject({ status: 'mismatch', severity: 'warning' });
  });

  it('are optional, and wrong if they point elsewhere', async () => {
    delete dns.zone[`autoconfig.${NAME}`];
    dns.zone[`autodiscover.${NAME}`] = { CNAME: ['outlook.example'] };
    const records = await check();
    expect(records.get(`autoconfig.${NAME}`)).toMatchObject({ status: 'missing', severity: 'info' });
    expect(records.get(`autodiscover.${NAME}`)).toMatchObject({ status: 'mismatch', severity: 'warning' });
  });
});

it('asks for no record of a mail server or an app without a public name', async () => {
  const unnamed = { ...facts, mailHost: 'localhost', appHost: '127.0.0.1' };
  const text = zoneFile(unnamed, []);
  expect(text).not.toMatch(/localhost|127\.0\.0\.1/);
  expect(text).toContain('IN TXT "v=spf1 mx -all"');
  const records = await check(unnamed);
  expect(records.get('localhost')).toMatchObject({ purpose: 'host', severity: 'error', required: true });
  expect(records.get('localhost')?.message).toContain('MAIL_HOST');
});
