import { describe, expect, it } from 'vitest';
import { uuidv7 } from '@/lib/uuid';
import { db } from '@/test/database';
import { makeAdmin, makeDomain, makeMailbox, makeSuppression } from '@/test/factories';
import { eventBodies, isWaiting, makeDue, sendDue, setUpScheduling } from '@/test/mail/scheduled';
import { keyClient } from '@/test/rest';
import { setSettings } from '@/test/settings';
import { checkScheduled } from '../service';

const { mta, made, schedule, show, traceOf } = await setUpScheduling();

const auditOf = async (id: string) =>
  db.auditEntry.findMany({ where: { resource: `message:${id}`, action: 'message.send_scheduled' } });

async function expectFailed(id: string, reason: RegExp) {
  await sendDue();
  const shown = await show(id);
  expect(shown.status).toBe('failed');
  expect(shown.recipients[0]).toMatchObject({ status: 'failed', cause: 'not_allowed' });
  expect(shown.recipients[0].response).toMatch(reason);
  expect(shown.events.at(-1)).toMatchObject({ type: 'refused', detail: { cause: 'not_allowed' } });
  const failed = (await eventBodies(id)).filter(({ event }) => event === 'mail.failed');
  expect(failed).toMatchObject([{ data: { reason: 'not_allowed', error: expect.stringMatching(reason) } }]);
  expect(mta.server.messages).toEqual([]);
  expect(await isWaiting(id)).toBe(false);
  expect(await auditOf(id)).toMatchObject([
    {
      outcome: 'error',
      domainId: made.domain.id,
      details: { outcome: 'refused', reason: expect.stringMatching(reason) },
    },
  ]);
}

describe('when it is due, a message', () => {
  it('leaves out recipients who are suppressed by then', async () => {
    const { id } = await schedule({ to: [{ email: 'ann@far.example' }, { email: 'bo@far.example' }] });
    await makeSuppression(made.domain.id, 'bo@far.example');
    await makeDue(id);
    await sendDue();
    const shown = await show(id);
    expect(shown.recipients).toMatchObject([{ address: 'ann@far.example', status: 'sent' }]);
    expect(await traceOf(id)).toEqual(['accepted', 'suppressed', 'queued']);
    expect(await auditOf(id)).toMatchObject([
      {
        outcome: 'success',
        adminId: made.api.admin.id,
        apiKeyId: expect.any(String),
        domainId: made.domain.id,
        details: { message_id: shown.message_id, outcome: 'accepted', suppressed: [{ email: 'bo@far.example' }] },
      },
    ]);
    expect((await eventBodies(id)).map(({ event }) => event)).toEqual(['mail.suppressed', 'mail.sent']);
  });

  it('fails if all recipients are suppressed, but not a transactional one by an unsubscribe', async () => {
    await makeSuppression(made.domain.id, 'ann@far.example', { reason: 'unsubscribe' });
    const receipt = await schedule({ transactional: true });
    await makeDue(receipt.id);
    await sendDue();
    expect((await show(receipt.id)).status).toBe('sent');
    mta.server.messages.length = 0;
    const { id } = await schedule();
    await makeDue(id);
    await expectFailed(id, /suppressed \(unsubscribe\)/);
  });

  it('fails if its key was revoked', async () => {
    const { id } = await schedule();
    await db.apiKey.deleteMany({ where: { adminId: made.api.admin.id } });
    await makeDue(id);
    made.api = await keyClient();
    await expectFailed(id, /API key .* revoked/);
  });

  it('fails if its key has expired', async () => {
    const { id } = await schedule();
    await db.apiKey.updateMany({ where: { adminId: made.api.admin.id }, data: { expiresAt: new Date() } });
    await makeDue(id);
    made.api = await keyClient();
    await expectFailed(id, /expired/);
  });

  it('fails if its admin has no access to the domain any more', async () => {
    const { id } = await schedule();
    await db.adminDomain.deleteMany({ where: { adminId: made.api.admin.id } });
    await makeDue(id);
    made.api = await keyClient();
    await expectFailed(id, /not assigned/);
  });

  it('fails if the domain is inactive, or deleted', async () => {
    const one = await schedule();
    await db.domain.update({ where: { id: made.domain.id }, data: { active: false } });
    await makeDue(one.id);
    made.api = await keyClient();
    await expectFailed(one.id, /inactive/);
    made.domain = await makeDomain();
    const other = await schedule();
    await db.domain.delete({ where: { id: made.domain.id } });
    await makeDue(other.id);
    await expectFailed(other.id, /not managed/);
  });

  it('fails if sending is suspended, or over the hourly limit', async () => {
    const mailbox = await makeMailbox(made.domain.id, 'shop');
    const one = await schedule();
    await db.mailbox.update({ where: { id: mailbox.id }, data: { suspendedAt: new Date() } });
    await makeDue(one.id);
    await expectFailed(one.id, /suspended/);
    await db.mailbox.delete({ where: { id: mailbox.id } });
    await db.domain.update({ where: { id: made.domain.id }, data: { hourlySendLimit: 1 } });
    await db.countedSend.create({ data: { id: uuidv7(), address: 'x', domainId: made.domain.id, at: new Date() } });
    const other = await schedule();
    await makeDue(other.id);
    await expectFailed(other.id, /hourly limit is 1/);
  });

  it('fails if it is later than SCHEDULED_LATE_HOURS allows, and is sent before', async () => {
    const [early, late] = [await schedule(), await schedule()];
    await makeDue(early.id, 23.9);
    await sendDue();
    expect((await show(early.id)).status).toBe('sent');
    mta.server.messages.length = 0;
    await makeDue(late.id, 24.1);
    await expectFailed(late.id, /within 24 hours/);
    setSettings({ SCHEDULED_LATE_HOURS: '48' });
    const again = await schedule();
    await makeDue(again.id, 24.1);
    await sendDue();
    expect((await show(again.id)).status).toBe('sent');
  });

  it('fails if the mail server rejects it, as any message', async () => {
    mta.state.script = (point) => (point === 'DATA' ? { say: '554 5.7.1 Not from you\r\n' } : undefined);
    const { id } = await schedule();
    await makeDue(id);
    await sendDue();
    expect(await show(id)).toMatchObject({ status: 'failed', recipients: [{ cause: 'rejected', smtp_code: 554 }] });
    expect(await isWaiting(id)).toBe(false);
  });

  it('waits while the mail server is away, uncounted and without events, and is sent once it is back', async () => {
    mta.state.script = (point) => (point === 'MAIL' ? { say: '451 4.3.0 Try later\r\n' } : undefined);
    const { id } = await schedule();
    await makeDue(id);
    await sendDue();
    await makeDue(id);
    await sendDue();
    expect(await show(id)).toMatchObject({ status: 'scheduled', outcomes: [{ status: 'scheduled', recipients: 1 }] });
    expect(await traceOf(id)).toEqual(['accepted', 'postponed']);
    expect(await eventBodies(id)).toEqual([]);
    expect(await db.countedSend.count({ where: { id } })).toBe(0);
    const { nextAttemptAt } = await db.scheduledMessage.findUniqueOrThrow({ where: { messageId: id } });
    expect(nextAttemptAt?.getTime()).toBeGreaterThan(Date.now() + 30_000);
    await makeDue(id, 0.2);
    expect(await checkScheduled(db)).toMatchObject([{ status: 'degraded', value: expect.closeTo(720, -2) }]);
    mta.state.script = () => undefined;
    await makeDue(id);
    await sendDue();
    expect((await show(id)).status).toBe('sent');
    expect(mta.server.messages).toHaveLength(1);
  });

  it('waits while the mail server refuses every connection permanently, which says nothing about the message', async () => {
    mta.state.script = (point) => {
      if (point === 'BANNER') return { say: '554 5.7.1 No service\r\n' };
      // A connection that is open already ends.
      return point === 'MAIL' ? 'drop' : undefined;
    };
    const { id } = await schedule();
    await makeDue(id);
    await sendDue();
    expect(await show(id)).toMatchObject({ status: 'scheduled' });
    expect(await traceOf(id)).toEqual(['accepted', 'postponed']);
    mta.state.script = () => undefined;
    await makeDue(id);
    await sendDue();
    expect((await show(id)).status).toBe('sent');
  });

  it('becomes uncertain without a reply, and is not sent again', async () => {
    mta.state.script = (point) => (point === 'DOT' ? 'drop' : undefined);
    const { id } = await schedule();
    await makeDue(id);
    await sendDue();
    expect((await show(id)).status).toBe('uncertain');
    expect(await isWaiting(id)).toBe(false);
  });
});

it('a message of an admin’s session fails if the admin is deleted', async () => {
  const { id } = await schedule();
  const admin = await makeAdmin();
  await db.message.update({ where: { id }, data: { apiKeyId: null } });
  await db.scheduledMessage.update({ where: { messageId: id }, data: { adminId: admin.id } });
  await db.admin.delete({ where: { id: admin.id } });
  await makeDue(id);
  await expectFailed(id, /admin .* deleted/);
});
