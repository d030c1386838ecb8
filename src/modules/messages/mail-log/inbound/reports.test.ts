import { beforeEach, expect, it, vi } from 'vitest';
import { db } from '@/test/database';
import { makeMailbox, makeWebhook } from '@/test/factories';
import { accepted, delivery, messageCopies, reportRun, stored } from '@/test/mail/logged-mail';
import { makeOneMessage, type OneMessage } from '@/test/mail/one-message';
import { dmarcMail } from '@/test/reports/report-mail';
import { createDeliveryReporter } from './deliveries';

let mail: OneMessage;
const at = (local: string) => `${local}@${mail.domain.name}`;
const raw = () => dmarcMail({ domain: mail.domain.name, reportId: 'one' });
const reports = () => db.dmarcReport.count({ where: { domainId: mail.domain.id } });

beforeEach(async () => {
  mail = await makeOneMessage('ann');
});

async function logDelivery(to: string) {
  await mail.logged(...accepted('bo@far.example'), stored(at(to)), { kind: 'removed' });
}

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
  expect(await reports()).toBe(1);
  const [full] = await mail.emitted('mail.received.full');
  expect(full?.data).toMatchObject({ body_text: expect.stringContaining('This is a report.'), attachments: [{}] });
});

it('a report that the agent took is recorded, and neither fetched nor stored again', async () => {
  await mail.filtered({ recipients: [at('dmarc-reports')], is_whole: false }, null);
  await logDelivery('dmarc-reports');
  const fetch = vi.fn(async () => Buffer.from(raw()));
  await createDeliveryReporter(db, messageCopies({ fetch }))(reportRun());
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
  expect(await shown()).toMatchObject({ status: 'received', recipients: [{ route: 'reports', status: 'received' }] });
});
