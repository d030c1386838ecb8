import { expect, it } from 'vitest';
import { uuidv7 } from '@/lib/uuid';
import { mailServerCalls } from '@/modules/messages/service';
import { db } from '@/test/database';
import { makeDomain, makeMailbox, makeWebhook, unique } from '@/test/factories';
import { keyClient } from '@/test/rest';

it('includes the webhook deliveries that the caller has access to in the trace', async () => {
  const [domain, other] = await Promise.all([makeDomain(), makeDomain()]);
  await makeMailbox(domain.id, 'ann');
  const [all, scoped] = await Promise.all([
    makeWebhook({ events: ['mail.received'], url: 'https://all.example.com/hook' }),
    makeWebhook({ events: ['mail.received'], domainId: domain.id, url: 'https://one.example.com:8443/' }),
    makeWebhook({ events: ['mail.received'], domainId: other.id }),
  ]);
  await receive(`ann@${domain.name}`);
  const { id } = await db.message.findFirstOrThrow({ where: { domainId: domain.id } });
  await db.webhookDelivery.updateMany({
    where: { webhookId: all.id },
    data: { status: 'delivered', attemptCount: 2, finishedAt: new Date() },
  });

  const hops = async (api: Awaited<ReturnType<typeof keyClient>>) =>
    (await api.get(`/messages/${id}`)).data.events.filter(({ type }: { type: string }) => type === 'webhook');

  const admin = await keyClient({ role: 'admin' });
  const seen = await hops(admin);
  expect(seen.map(({ detail }: { detail: object }) => detail)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ webhook_id: all.id, host: 'all.example.com', status: 'delivered', attempts: 2 }),
      expect.objectContaining({ webhook_id: scoped.id, host: 'one.example.com:8443', status: 'pending', attempts: 0 }),
    ]),
  );
  expect(seen).toHaveLength(2);
  expect(seen[0].recipient).toBe(`ann@${domain.name}`);
  const key = await keyClient({ role: 'admin', scopedDomainIds: [domain.id] });
  expect((await hops(key)).map(({ detail }: { detail: { webhook_id: string } }) => detail.webhook_id)).toEqual([
    scoped.id,
  ]);
  expect(await hops(await keyClient({ role: 'domain_admin', domainIds: [domain.id] }))).toEqual([]);
});

it('has the webhook deliveries at their times', async () => {
  const domain = await makeDomain();
  const webhook = await makeWebhook({ events: ['mail.received'], domainId: domain.id });
  await makeMailbox(domain.id, 'ann');
  await receive(`ann@${domain.name}`);
  const { id } = await db.message.findFirstOrThrow({ where: { domainId: domain.id } });
  const at = new Date();
  await db.webhookDelivery.updateMany({ where: { webhookId: webhook.id }, data: { finishedAt: at } });
  const later = { id: uuidv7(), messageId: id, type: 'forwarded', at: new Date(at.getTime() + 1_500), detail: {} };
  await db.messageEvent.create({ data: later });
  const key = await keyClient({ role: 'admin', scopedDomainIds: [domain.id] });
  const { events } = (await key.get(`/messages/${id}`)).data;
  expect(events.map(({ type }: { type: string }) => type)).toEqual(['received', 'webhook', 'forwarded']);
});

async function receive(address: string): Promise<void> {
  const { resolve, receive: receiveMail } = mailServerCalls(db);
  const resolution = await resolve(address);
  if (!resolution.isAccepted) throw new Error('the address is not accepted');
  const raw = new TextEncoder().encode(`From: b@far.example\r\nTo: ${address}\r\nSubject: s\r\n\r\nText\r\n`);
  await receiveMail({
    queueId: `4QTRACE${unique()}`,
    mailFrom: 'b@far.example',
    resolved: [resolution],
    sizeBytes: raw.byteLength,
    header: raw,
    read: async () => raw,
    verdict: { score: 0, action: 'no action' },
    spam: 'no',
    receivedAt: new Date(),
  });
}
