import { afterAll, expect, it } from 'vitest';
import { EVENT_TYPES } from '@/lib/event-types';
import { openAlerts } from '@/modules/alerts/service';
import { emitDnsChanged } from '@/modules/domains/dns/results/changed-event';
import { bounceAddress } from '@/modules/messages/returned/bounce-address';
import { mailServerCalls } from '@/modules/messages/service';
import { unsubscribe } from '@/modules/unsubscribe/service';
import { db } from '@/test/database';
import { checkedEvent } from '@/test/envelope';
import { makeDomain, makeMailbox, makeWebhook } from '@/test/factories';
import { complaintMail } from '@/test/mail/complaint-mail';
import { makeMessage, report } from '@/test/mail/reported-message';
import { startInbound } from '@/test/mail/sandbox-inbound';
import { document, keyClient } from '@/test/rest';
import { startScriptedMta } from '@/test/servers/scripted-mta';
import { sampleData } from './sample-data';
import { eventBody } from './schema';

const GTUBE = 'XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X';
const ANN = 'ann@far.example';

const calls = mailServerCalls(db);
const mta = await startScriptedMta();
afterAll(() => mta.server.close());
const { sendRaw } = await startInbound(calls, { maxMessageBytes: 1024 * 1024 });
const api = await keyClient();

it('every type of event is sent with the payload that the OpenAPI document has', async () => {
  const domain = await makeDomain();
  const at = new Date();
  await makeMailbox(domain.id, 'bo');
  await makeWebhook({ events: ['*'] });
  await api.post('/suppressions', { email: 'cy@far.example', domain_id: domain.id });
  const { data: message } = await api.post('/send', {
    from: { email: `news@${domain.name}` },
    to: [{ email: ANN }, { email: 'cy@far.example' }],
    subject: 'News',
    text_body: 'Hello',
    tags: { campaign: 'spring' },
    metadata: { order: { id: 7 } },
  });
  await calls.onReport({ ...report(await sentMessage(message.message_id), 'deferred') });
  for (const kind of ['delivered', 'bounced', 'failed'] as const)
    await calls.onReport(report(await makeMessage(domain, 'sent', [ANN]), kind));
  const delivered = await makeMessage(domain, 'delivered', [ANN]);
  await sendRaw(
    complaintMail({ sender: bounceAddress(delivered.id, domain.name) }),
    `bo@${domain.name}`,
    'fbl@far.example',
  );
  await sendRaw(
    complaintMail({ sender: bounceAddress(delivered.id, domain.name) }),
    `complaint-reports@${domain.name}`,
  );
  await unsubscribe(db, { messageId: message.message_id, email: ANN, list: 'newsletter', domain }, at);
  await sendRaw(`From: Ann <${ANN}>\r\nSubject: Hello\r\n\r\nHello\r\n`, `bo@${domain.name}`);
  await sendRaw(`Subject: Win\r\n\r\n${GTUBE}\r\n`, `bo@${domain.name}`);
  const changed = { id: domain.id, purpose: 'mx', type: 'MX', name: domain.name, before: ['10 a.example'], after: [] };
  const changes = [{ ...changed, domainId: domain.id, status: 'missing' as const, at }];
  await emitDnsChanged(db, { ...domain, dnsStatus: 'ok' }, { status: 'error', changes, at });
  const alert = { kind: 'dns_broken' as const, subject: domain.name, domainId: domain.id, count: 1, expected: 0 };
  await openAlerts(db, [alert], at);

  const events = await db.event.findMany({ where: { domainId: domain.id } });
  for (const { body } of events) checkedEvent(document, JSON.parse(body ?? ''));
  expect([...new Set(events.map(({ type }) => type))].sort()).toEqual([...EVENT_TYPES].sort());
  const labels = { tags: { campaign: 'spring' }, metadata: { order: { id: 7 } } };
  for (const type of ['mail.sent', 'mail.bounced', 'mail.suppressed', 'mail.unsubscribed'])
    expect(events.filter((event) => event.type === type).map(({ body }) => JSON.parse(body ?? '').data)).toContainEqual(
      expect.objectContaining(labels),
    );
  expect(mta.server.messages).toHaveLength(1);
});

it('the document has no example, and a test of a webhook sends nothing, that the document rejects', () => {
  for (const [type, item] of Object.entries(document.webhooks ?? {})) {
    const { requestBody } = (item as { post: { requestBody: object } }).post;
    const { example } = (requestBody as { content: Record<string, { example: { event: string } }> }).content[
      'application/json'
    ] ?? { example: { event: '' } };
    expect(checkedEvent(document, example).event).toBe(type);
  }
  for (const type of EVENT_TYPES) {
    const { messageId, data } = sampleData(type, 'shop.example');
    checkedEvent(document, JSON.parse(eventBody({ type, id: messageId ?? 'own', at: new Date(), data })));
  }
  expect(sampleData('mail.bounced', 'shop.example').data).toMatchObject({
    bounce: { type: 'permanent' },
    will_retry: false,
  });
});

function sentMessage(messageId: string) {
  return db.message.findFirstOrThrow({ where: { messageId } });
}
