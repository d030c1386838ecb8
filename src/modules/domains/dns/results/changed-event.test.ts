import { afterAll, beforeEach, expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeDomain, makeWebhook } from '@/test/factories';
import { keyClient } from '@/test/rest';
import { startDns } from '@/test/servers/dns';
import { setSettings } from '@/test/settings';

const dns = await startDns();
setSettings({ DNS_SERVERS: `127.0.0.1:${dns.port}` });

const api = await keyClient();
let domain: { id: string; name: string };

afterAll(() => dns.stop());

beforeEach(async () => {
  domain = await makeDomain();
  dns.zone = { [`_dmarc.${domain.name}`]: { TXT: ['v=DMARC1; p=none'] } };
});

const check = () => api.post(`/domains/${domain.id}/dns/check`);
const events = () =>
  db.event.findMany({
    where: { type: 'domain.dns_changed', domainId: domain.id },
    orderBy: { id: 'asc' },
    include: { deliveries: { select: { webhookId: true } } },
  });

it('is emitted once for what a check found changed, to the domain’s webhooks', async () => {
  const other = await makeDomain();
  const [own, all] = await Promise.all([
    makeWebhook({ events: ['domain.dns_changed'], domainId: domain.id }),
    makeWebhook({ events: ['*'] }),
    makeWebhook({ events: ['mail.sent'] }),
    makeWebhook({ events: ['*'], domainId: other.id }),
  ]);
  await check();
  await check();
  expect(await events()).toEqual([]);

  const value = `v=DMARC1; p=reject; rua=mailto:x@${domain.name}`;
  dns.zone[`_dmarc.${domain.name}`] = { TXT: [value] };
  await check();
  await check();
  const [event, ...more] = await events();
  expect(more).toEqual([]);
  expect(event?.deliveries.map(({ webhookId }) => webhookId).sort()).toEqual([own.id, all.id].sort());
  const body = JSON.parse(event?.body ?? '{}');
  expect(body).toMatchObject({ id: event?.id, event: 'domain.dns_changed' });
  expect(body.data).toMatchObject({ domain: domain.name, domain_id: domain.id, previous_status: 'error' });
  expect(body.data.changes).toEqual([
    {
      purpose: 'dmarc',
      type: 'TXT',
      name: `_dmarc.${domain.name}`,
      before: ['v=DMARC1; p=none'],
      after: [value],
      status: 'ok',
    },
  ]);
});

it('stays short, however much was found', async () => {
  await check();
  dns.zone[`_dmarc.${domain.name}`] = { TXT: [`${'v=DMARC1; p=reject; x='.padEnd(499, 'x')}\u{1f4a5}`] };
  dns.zone[domain.name] = {
    MX: Array.from({ length: 30 }, (_, index) => `${index} ${'x'.repeat(60)}.mx${index}.example`),
  };
  await check();
  const [event] = await events();
  const { changes } = JSON.parse(event?.body ?? '{}').data;
  const dmarc = changes.find(({ purpose }: { purpose: string }) => purpose === 'dmarc');
  expect(dmarc.after).toEqual([expect.stringMatching(/^v=DMARC1.{491}\ufffd$/)]);
  const mx = changes.find(({ purpose }: { purpose: string }) => purpose === 'mx');
  expect(mx.after).toHaveLength(10);
});
