import { expect, it } from 'vitest';
import { db } from '@/test/database';
import { newQueueId } from '@/test/mail/logged-mail';
import { deleteOldLoggedMail } from './retention';

const HOUR_MS = 3_600_000;
const hoursAgo = (hours: number) => new Date(Date.now() - hours * HOUR_MS);

const DONE = { removedAt: hoursAgo(1), mailFrom: 'a@far.example' };
const QUEUED = { removedAt: null, mailFrom: 'a@far.example' };
const NEVER_QUEUED = { removedAt: null, mailFrom: null };
const TOLD = { reportedAt: new Date() };
const UNTOLD = { reportedAt: null };

it.each([
  ['of a day ago that is dealt with', 'forgotten', 25, DONE, [TOLD]],
  ['of today that is dealt with', 'kept', 23, DONE, [TOLD]],
  ['that waits in the queue for days', 'kept', 13 * 24, QUEUED, []],
  ['whose end the log never told', 'forgotten', 15 * 24, QUEUED, []],
  ['of a day ago that never came into the queue', 'forgotten', 25, NEVER_QUEUED, []],
  ['of which one arrival is not told yet', 'kept', 25, DONE, [TOLD, UNTOLD]],
  ['of long ago of which one arrival is not told yet', 'kept', 30 * 24, QUEUED, [UNTOLD]],
])('mail %s is %s', async (_case, becomes, hours, state, arrivals) => {
  const queueId = newQueueId();
  const seenAt = hoursAgo(hours);
  const rows = arrivals.map((arrival, index) => ({
    recipient: `a${index}@d.example`,
    addressedTo: `a${index}@d.example`,
    isForwarded: false,
    at: seenAt,
    ...arrival,
  }));
  await db.loggedMail.create({ data: { queueId, seenAt, ...state, deliveries: { createMany: { data: rows } } } });
  await deleteOldLoggedMail(db);
  expect(await db.loggedMail.count({ where: { queueId } })).toBe(becomes === 'kept' ? 1 : 0);
});
