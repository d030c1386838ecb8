import { beforeEach, expect, it, vi } from 'vitest';
import { db } from '@/test/database';
import { makeMailbox, makeWebhook } from '@/test/factories';
import { AT, accepted, delivery, messageCopies, reportRun, stored } from '@/test/mail/logged-mail';
import { makeOneMessage, type OneMessage } from '@/test/mail/one-message';
import { dmarcMail } from '@/test/reports/report-mail';
import { createDeliveryReporter } from './deliveries';

let mail: OneMessage;
const at = (local: string) => `${local}@${mail.domain.name}`;
const day = AT.toISOString().slice(0, 10);
const raw = () => dmarcMail({ domain: mail.domain.name, reportId: 'one', day });
const reports = () => db.dmarcReport.count({ where: { domainId: mail.domain.id } });

beforeEach(async () => {
  mail = await makeOneMessage('ann');
});

async function logDelivery(to: string) {
  await mail.logged(...accepted('bo@far.example'), stored(at(to)), { kind: 'removed' });
}

const recorded = (queueId = mail.queueId) => db.message.count({ where: { queueId } });

async function shown() {
  const include = { recipients: true, events: true };
  return db.message.findFirstOrThrow({ where: { queueId: mail.queueId }, include });
}

it('a report in the mailbox for reports is read, and its content still goes to webhooks', async () => {
  const { id: reportMailboxId } = await makeMailbox(mail.domain.id, 'ops');
  await db.domain.update({ where: { id: mail.domain.id }, data: { reportMailboxId } });
  await makeWebhook({ domainId: mail.domain.id, events: ['mail.received.full'] });
  await mail.filtered({ recipients: [at('ops')] }, raw());
  await logDelivery('ops');
  await createDeliveryReporter(db, messageCopies())(reportRun());
  await expect.poll(reports).toBe(1);
  const [full] = await mail.emitted('mail.received.full');
  expect(full?.data).toMatchObject({ body_text: expect.stringContaining('This is a report.'), attachments: [{}] });
});

it.each([
  [
    'confirms a domain',
    { authenticated_domain: 'mail.far.example' },
    { senderDomain: 'far.example', isAuthenticated: true },
  ],
  ['confirms none', {}, { senderDomain: 'far.example', isAuthenticated: false }],
])('the filter alone says who sent a report, where it %s', async (_name, meta, expected) => {
  await makeMailbox(mail.domain.id, 'dmarc-reports');
  const forged = `Authentication-Results: localhost; dkim=pass header.d=big.example\r\n${raw()}`;
  await mail.filtered({ recipients: [at('dmarc-reports')], ...meta }, forged);
  await logDelivery('dmarc-reports');
  await createDeliveryReporter(db, messageCopies())(reportRun());
  await expect.poll(reports).toBe(1);
  expect(await db.dmarcReport.findFirstOrThrow({ where: { domainId: mail.domain.id } })).toMatchObject(expected);
});

it('a report that the agent took is recorded, and neither fetched nor stored again', async () => {
  await mail.filtered({ recipients: [at('dmarc-reports')], is_whole: false }, null);
  await logDelivery('dmarc-reports');
  const fetch = vi.fn(async () => Buffer.from(raw()));
  await createDeliveryReporter(db, messageCopies({ fetch }))(reportRun());
  await expect.poll(recorded).toBe(1);
  expect(fetch).not.toHaveBeenCalled();
  expect(await reports()).toBe(0);
  expect(await mail.emitted()).toEqual([]);
  expect(await shown()).toMatchObject({
    status: 'received',
    recipients: [{ address: at('dmarc-reports'), route: 'reports' }],
    events: [{ type: 'received', detail: { route: 'reports' } }],
  });
});

it('a report that waits for the agent is deferred, and then received', async () => {
  const waiting = delivery(at('dmarc-reports'), { status: 'deferred', agent: 'lmtp', response: '451 4.3.0 later' });
  await mail.filtered({ recipients: [at('dmarc-reports')] }, raw());
  await mail.logged(...accepted('bo@far.example'), waiting);
  expect(await shown()).toMatchObject({ status: 'deferred', recipients: [{ route: 'reports', status: 'deferred' }] });
  await mail.logged(stored(at('dmarc-reports')), { kind: 'removed' });
  await createDeliveryReporter(db, messageCopies())(reportRun());
  await expect.poll(async () => (await shown()).status).toBe('received');
  expect(await shown()).toMatchObject({ status: 'received', recipients: [{ route: 'reports', status: 'received' }] });
});

it('a report that takes long to read does not hold up other mail', async () => {
  await makeMailbox(mail.domain.id, 'dmarc-reports');
  await mail.filtered({ recipients: [at('dmarc-reports')], is_whole: false }, null);
  await logDelivery('dmarc-reports');
  const other = await makeOneMessage('bo');
  await other.filtered({ recipients: [`bo@${other.domain.name}`] }, dmarcMail({ domain: other.domain.name, day }));
  await other.logged(...accepted('bo@far.example'), stored(`bo@${other.domain.name}`), { kind: 'removed' });
  let resolve = (_raw: Buffer) => {};
  const fetched = new Promise<Buffer>((fulfill) => {
    resolve = fulfill;
  });
  const report = createDeliveryReporter(db, messageCopies({ fetch: () => fetched }));
  while ((await report(reportRun())) > 0);
  expect([await recorded(other.queueId), await recorded()]).toEqual([1, 0]);
  resolve(Buffer.from(raw()));
  await expect.poll(reports).toBe(1);
  expect(await recorded()).toBe(1);
});
