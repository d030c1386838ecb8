import { describe, expect, it, onTestFinished } from 'vitest';
import { uuidv7 } from '@/lib/uuid';
import { db } from '@/test/database';
import { HOUR_MS, isWaiting, makeDue, sendDue, setUpScheduling } from '@/test/mail/scheduled';
import { settleAbandonedMessages } from '../service';

const { mta, made, schedule, show } = await setUpScheduling();

describe('a message whose process ended while it was sent', () => {
  async function interrupt(id: string, dataAt: Date | null) {
    await db.message.update({
      where: { id },
      data: { status: 'submitting', createdAt: new Date(Date.now() - HOUR_MS) },
    });
    await db.messageRecipient.updateMany({ where: { messageId: id }, data: { status: 'submitting' } });
    await db.countedSend.create({
      data: { id, address: `shop@${made.domain.name}`, domainId: made.domain.id, at: new Date() },
    });
    await makeDue(id);
    await db.scheduledMessage.update({ where: { messageId: id }, data: { dataAt, leaseToken: uuidv7() } });
    await settleAbandonedMessages(db, new Date());
  }

  it('before its text left is sent again, once', async () => {
    const { id } = await schedule();
    await interrupt(id, null);
    await sendDue();
    await sendDue();
    expect((await show(id)).status).toBe('sent');
    expect(mta.server.messages).toHaveLength(1);
    expect(await db.countedSend.count({ where: { id } })).toBe(1);
  });

  it('after that is uncertain, and never sent again', async () => {
    const { id } = await schedule();
    await interrupt(id, new Date());
    await sendDue();
    await sendDue();
    expect((await show(id)).status).toBe('uncertain');
    const entry = await db.auditEntry.findMany({
      where: { resource: `message:${id}`, action: 'message.send_scheduled' },
    });
    expect(entry).toMatchObject([{ outcome: 'error', details: { outcome: 'uncertain' } }]);
    expect(mta.server.messages).toEqual([]);
    expect(await isWaiting(id)).toBe(false);
  });

  it('isn’t sent by a process that lost its claim meanwhile', async () => {
    const { id } = await schedule();
    await makeDue(id);
    // Another instance claims the message once it is admitted.
    await db.$executeRawUnsafe(`
      CREATE FUNCTION claim_elsewhere() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN UPDATE scheduled_message SET lease_token = gen_random_uuid() WHERE message_id = NEW.id; RETURN NULL; END $$`);
    await db.$executeRawUnsafe(
      'CREATE TRIGGER claim_elsewhere AFTER UPDATE ON message FOR EACH ROW EXECUTE FUNCTION claim_elsewhere()',
    );
    await sendDue();
    await db.$executeRawUnsafe('DROP FUNCTION claim_elsewhere CASCADE');
    expect(mta.server.messages).toEqual([]);
    await db.scheduledMessage.update({ where: { messageId: id }, data: { nextAttemptAt: new Date(0) } });
    await sendDue();
    await sendDue();
    expect((await show(id)).status).toBe('sent');
    expect(mta.server.messages).toHaveLength(1);
  });
});

it('stopping ends after the messages under way, and leaves the others', async () => {
  for (let n = 0; n < 12; n++) await makeDue((await schedule()).id);
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  mta.state.script = (point) => {
    if (point === 'DOT') stopping.abort();
    return undefined;
  };
  await sendDue(stopping.signal);
  const counts = await db.message.groupBy({ by: ['status'], where: { domainId: made.domain.id }, _count: true });
  const byStatus = Object.fromEntries(counts.map(({ status, _count }) => [status, _count]));
  expect(Object.keys(byStatus).toSorted()).toEqual(['scheduled', 'sent']);
  expect(byStatus.sent).toBe(mta.server.messages.length);
  await sendDue();
  expect(mta.server.messages).toHaveLength(12);
});
