import { createHash, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { testCertificate } from '@/test/servers/https-receiver';
import { domainFacts, MAIL_HOST, recordOf } from '@/test/servers/published-domain';
import { NAME_SERVERS, startRealDns } from '@/test/servers/real-dns';
import { startSmtpServer } from '@/test/servers/smtp-server';
import type { DomainFacts, Probes } from '../records/record';
import { zoneFile } from '../zone-file';
import { checkDomain } from './check';
import { tlsStarter } from './mail-tls';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ type: 'spki', format: 'der' });
const ed25519 = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
const dkimKeys = [
  { selector: 'rsa', status: 'active', value: `v=DKIM1; k=rsa; p=${rsa.toString('base64')}` },
  { selector: 'ed', status: 'active', value: `v=DKIM1; k=ed25519; p=${ed25519.toString('base64')}` },
] as const;
const factsOf = (name: string, over: Partial<DomainFacts> = {}) => domainFacts({ name, dkimKeys, ...over });

const certificate = await testCertificate({ names: [MAIL_HOST] });
const spki = new X509Certificate(certificate.cert).publicKey.export({ type: 'spki', format: 'der' });
const keyHash = createHash('sha256').update(spki).digest('hex');

const published = (name: string) => zoneFile(factsOf(name), []);
const host = `${MAIL_HOST}. 300 IN A 127.0.0.1\nconsole.host.example. 300 IN A 127.0.0.1`;
const dns = await startRealDns([
  { name: 'right.example', records: published('right.example'), signing: 'valid' },
  {
    name: 'host.example',
    records: `${host}\n_25._tcp.${MAIL_HOST}. 300 IN TLSA 3 1 1 ${keyHash}`,
    signing: 'valid',
  },
  { name: 'plain.example', records: published('plain.example') },
  { name: 'bogus.example', records: published('bogus.example'), signing: 'expired' },
  { name: 'behind.example', records: published('behind.example'), serials: [8, 7] },
  { name: 'lame.example', records: published('lame.example'), serials: [1, null] },
  { name: 'empty.example', records: '' },
  {
    name: 'weak.example',
    records: [
      'weak.example. 300 IN MX 10 mail.weak.example.',
      'mail.weak.example. 300 IN A 127.0.0.1',
      `_25._tcp.mail.weak.example. 300 IN TLSA 3 1 1 ${keyHash}`,
    ].join('\n'),
  },
  {
    name: 'wrong.example',
    records: [
      'wrong.example. 300 IN MX 10 mail.far.example.',
      'wrong.example. 300 IN TXT "v=spf1 ip4:198.51.100.1 -all"',
      'wrong.example. 300 IN TXT "v=spf1 mx -all"',
      'rsa._domainkey.wrong.example. 300 IN TXT "v=DKIM1; k=rsa; p="',
      'ed._domainkey.wrong.example. 300 IN CNAME ed.keys.plain.example.',
      '_dmarc.wrong.example. 300 IN TXT "v=DMARC1; p=reject; rua=mailto:a@plain.example"',
      'wrong.example. 300 IN CAA 0 issue "other.example"',
    ].join('\n'),
  },
  {
    name: 'long.example',
    records: [
      published('long.example'),
      ...Array.from({ length: 40 }, (_, i) => `long.example. 300 IN TXT "${i}-${'x'.repeat(200)}"`),
    ].join('\n'),
  },
]);
const smtp = await startSmtpServer({ ...certificate, disabledCommands: [] });
afterAll(() => Promise.all([dns.stop(), smtp.close()]));

const startTls = tlsStarter({ ownName: 'a.example', allowPrivateNetworks: true, port: smtp.port, ca: certificate.ca });
const check = (name: string, probes: Probes = {}, over: Partial<DomainFacts> = {}) =>
  checkDomain(factsOf(name, over), {
    servers: [dns.resolver],
    authoritativePort: dns.port,
    allowPrivateNetworks: true,
    probes,
  });
const problem = (status: string, severity: string, message: RegExp) => ({
  status,
  severity,
  message: expect.stringMatching(message),
});

describe('a zone served by NSD and resolved by Unbound', () => {
  it('is right with the records of the zone file, signed, at each name server and with DANE', async () => {
    const records = await check('right.example', { startTls });
    for (const purpose of [
      'mx',
      'spf',
      'dmarc',
      'tls_rpt',
      'ownership',
      'host',
      'caa',
      'ns',
      'dnssec',
      'dane',
      'starttls',
    ]) {
      expect(recordOf(records, purpose)).toMatchObject({ purpose, status: 'ok', severity: 'ok' });
    }
    const keys = records.filter(({ purpose }) => purpose === 'dkim');
    expect(keys).toMatchObject(
      ['rsa', 'ed'].map((selector) => ({
        name: `${selector}._domainkey.right.example`,
        status: 'ok',
        authoritative: NAME_SERVERS.map((server) => ({ server, status: 'ok' })),
      })),
    );
    const services = records.filter(({ purpose }) => purpose === 'srv');
    expect(services.map(({ status }) => status)).toEqual(Array(7).fill('ok'));
    expect(recordOf(records, 'srv', '_pop3._tcp').found).toEqual(['0 0 0 .']);
  });

  it('has each problem of its records, with split, double and delegated ones told apart', async () => {
    const records = await check('wrong.example');
    expect(recordOf(records, 'mx')).toMatchObject(problem('mismatch', 'error', /has no address/));
    expect(recordOf(records, 'spf')).toMatchObject(problem('multiple', 'error', /2 SPF/));
    expect(recordOf(records, 'dkim', 'rsa')).toMatchObject(problem('mismatch', 'error', /revoked/));
    expect(recordOf(records, 'dkim', 'ed')).toMatchObject(problem('missing', 'error', /isn’t published/));
    expect(recordOf(records, 'dmarc')).toMatchObject(problem('mismatch', 'warning', /plain\.example doesn’t accept/));
    expect(recordOf(records, 'caa', 'wrong')).toMatchObject(problem('mismatch', 'error', /letsencrypt\.org/));
    expect(recordOf(records, 'tls_rpt')).toMatchObject(problem('missing', 'info', /./));
    expect(recordOf(records, 'dnssec')).toMatchObject(problem('missing', 'info', /isn’t signed/));
  });

  it('has nothing in an empty zone, and the same for a name that doesn’t exist', async () => {
    for (const name of ['empty.example', 'gone.example']) {
      const records = await check(name);
      for (const purpose of ['mx', 'spf', 'dkim', 'dmarc']) {
        expect(recordOf(records, purpose)).toMatchObject({ status: 'missing', severity: 'error', found: [] });
      }
    }
  });

  it('is read by TCP if its answers don’t fit in a packet', async () => {
    const records = await check('long.example');
    expect(recordOf(records, 'spf')).toMatchObject({ status: 'ok', found: ['v=spf1 mx -all'] });
  });

  it('names the server that is behind, and the one without the zone', async () => {
    expect(recordOf(await check('behind.example'), 'ns')).toMatchObject(
      problem('mismatch', 'warning', /ns2\.behind\.example is behind: it has version 7, others have 8/),
    );
    const records = await check('lame.example');
    expect(recordOf(records, 'ns')).toMatchObject(
      problem('mismatch', 'warning', /^Of the name servers, ns2\.lame\.example/),
    );
    expect(recordOf(records, 'mx')).toMatchObject({
      status: 'ok',
      authoritative: [{ server: NAME_SERVERS[0], status: 'ok' }, { server: NAME_SERVERS[1] }],
    });
  });
});

describe('DNSSEC, verified by Unbound', () => {
  it('tells forged answers from failures, and still shows what the name servers have', async () => {
    const records = await check('bogus.example');
    expect(recordOf(records, 'dnssec')).toMatchObject({ ...problem('insecure', 'error', /invalid/), required: true });
    expect(recordOf(records, 'mx')).toMatchObject({
      status: 'temporary_error',
      authoritative: NAME_SERVERS.map((server) => ({ server, status: 'ok' })),
    });
  });

  it('is required by DANE', async () => {
    const records = await check('weak.example', { startTls }, { mailHost: 'mail.weak.example' });
    expect(recordOf(records, 'starttls')).toMatchObject(problem('mismatch', 'error', /not for mail\.weak\.example/));
    expect(recordOf(records, 'dane')).toMatchObject(problem('insecure', 'error', /isn’t signed/));
    expect(recordOf(await check('right.example'), 'dane')).toMatchObject(problem('ok', 'info', /NETWORK_CHECKS/));
  });
});
