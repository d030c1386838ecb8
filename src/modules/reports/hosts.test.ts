import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '@/server/clock';
import { reverseName } from '@/server/dns/reverse-name';
import { db } from '@/test/database';
import { type DnsTestServer, startDns } from '@/test/servers/dns';
import { lookUpHosts } from './hosts';

let dns: DnsTestServer;

beforeEach(async () => {
  await db.reportHost.deleteMany();
  dns = await startDns();
  onTestFinished(() => dns.stop());
});

const lookUp = () => lookUpHosts(db, [dns], systemClock);
const seen = (...ips: string[]) => db.reportHost.createMany({ data: ips.map((ip) => ({ ip, seenAt: new Date() })) });
const known = async () =>
  Object.fromEntries(
    (await db.reportHost.findMany()).map(({ ip, hostname, organisation }) => [ip, [hostname, organisation]]),
  );

it('an address gets its host name, and the organisation by the registrable domain', async () => {
  await seen('192.0.2.1', '2001:db8::1', '192.0.2.2');
  dns.zone = {
    [reverseName('192.0.2.1')]: { PTR: ['MX1.mail.shop.co.uk'] },
    [reverseName('2001:db8::1')]: { PTR: ['mail.acme.example'] },
  };
  await lookUp();
  expect(await known()).toEqual({
    '192.0.2.1': ['mx1.mail.shop.co.uk', 'shop.co.uk'],
    '2001:db8::1': ['mail.acme.example', 'acme.example'],
    '192.0.2.2': [null, null],
  });
});

it('a name that no host can have is left out', async () => {
  await seen('192.0.2.1');
  dns.zone = { [reverseName('192.0.2.1')]: { PTR: ['<script>.example', 'x'.repeat(60)] } };
  await lookUp();
  expect(await known()).toEqual({ '192.0.2.1': [null, null] });
});

it('an address is asked for once, by one of several instances', async () => {
  await seen(...Array.from({ length: 50 }, (_, index) => `192.0.2.${index}`));
  await Promise.all([lookUp(), lookUp(), lookUp()]);
  await lookUp();
  expect(dns.questions).toHaveLength(50);
});

it('a failed lookup keeps the name that is known, and is repeated later', async () => {
  await seen('192.0.2.1');
  dns.zone = { [reverseName('192.0.2.1')]: { PTR: ['mail.acme.example'] } };
  await lookUp();
  dns.faults = { [reverseName('192.0.2.1')]: 'servfail' };
  await db.reportHost.updateMany({ data: { nextLookupAt: new Date(0) } });
  await lookUp();
  expect(await known()).toEqual({ '192.0.2.1': ['mail.acme.example', 'acme.example'] });
  expect((await db.reportHost.findFirstOrThrow()).nextLookupAt.getTime()).toBeGreaterThan(Date.now());
});
