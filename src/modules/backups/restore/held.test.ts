import { expect, it } from 'vitest';
import { backUp, connect, sourceOf } from '@/test/backups';
import { db } from '@/test/database';
import { makeDomain, makeScheduled, unique } from '@/test/factories';
import { keyClient } from '@/test/rest';
import { restore } from './restore';

const source = await connect(String(process.env.DATABASE_URL));
const domain = await makeDomain();

async function makeMessage() {
  const data = {
    messageId: `<${unique()}@b>`,
    fromAddress: `a@${domain.name}`,
    toAddresses: [],
    subject: '',
    sizeBytes: 1,
  };
  const { id } = await db.message.create({
    data: { ...data, domainId: domain.id, direction: 'outbound', status: 'sent' },
    select: { id: true },
  });
  return id;
}

it('scheduled messages of a restored backup are held and say so, until they are rescheduled', async () => {
  const [waiting, leaving] = [await makeMessage(), await makeMessage()];
  await makeScheduled(waiting);
  await makeScheduled(leaving);
  await db.message.update({ where: { id: leaving }, data: { status: 'submitting' } });
  const archive = await backUp(source);
  await db.scheduledMessage.deleteMany();
  const { leftOut } = await restore(source, sourceOf(archive));
  expect(leftOut).toEqual([
    '1 scheduled message is held, because it may have been sent since. Reschedule it to send it.',
  ]);
  expect(await db.scheduledMessage.findMany({ select: { messageId: true, nextAttemptAt: true } })).toEqual([
    { messageId: waiting, nextAttemptAt: null },
  ]);
  const api = await keyClient();
  const { data } = await api.get(`/messages/${waiting}`);
  expect(data).toMatchObject({ status: 'scheduled', send_at: null });
  expect(data.events).toMatchObject([
    { type: 'rescheduled', detail: { send_at: null, reason: expect.stringMatching(/since the backup/) } },
  ]);
  const sendAt = new Date(Date.now() + 60_000);
  await api.patch(`/messages/${waiting}`, { send_at: sendAt.toISOString() });
  expect(await db.scheduledMessage.findFirstOrThrow()).toMatchObject({ nextAttemptAt: sendAt });
});
