import { expect, it } from 'vitest';
import { db } from '@/test/database';
import { newQueueId } from '@/test/mail/logged-mail';
import { deleteOldLoggedMail } from './retention';

const HOUR_MS = 3_600_000;
const hoursAgo = (hours: number) => new Date(Date.now() - hours * HOUR_MS);

const FINISHED = { removedAt: hoursAgo(1), mailFrom: 'a@far.example' };
const QUEUED = { removedAt: null, mailFrom: 'a@far.example' };
const NEVER_QUEUED = { removedAt: null, mailFrom: null };
const REPORTED = { reportedAt: new Date() };
const UNREPORTED = { reportedAt: null };

it.each([
  ['finished a day ago', 'deleted', 25, FINISHED, [REPORTED]],
  ['finished today', 'kept', 23, FINISHED, [REPORTED]],
  ['waiting in the queue for days', 'kept', 13 * 24, QUEUED, []],
  ['whose end is missing in the log', 'deleted', 15 * 24, QUEUED, []],
  ['of a day ago that never entered the queue', 'deleted', 25, NEVER_QUEUED, []],
  ['with an unreported delivery', 'kept', 25, FINISHED, [REPORTED, UNREPORTED]],
  ['of long ago with an unreported delivery', 'kept', 30 * 24, QUEUED, [UNREPORTED]],
])('mail %s is %s', async (_case, expected, hours, state, deliveries) => {
  const queueId = newQueueId();
  const seenAt = hoursAgo(hours);
  const rows = deliveries.map((delivery, index) => ({
    recipient: `a${index}@d.example`,
    addressedTo: `a${index}@d.example`,
    isForwarded: false,
    at: seenAt,
    ...delivery,
  }));
  await db.loggedMail.create({ data: { queueId, seenAt, ...state, deliveries: { createMany: { data: rows } } } });
  await deleteOldLoggedMail(db);
  expect(await db.loggedMail.count({ where: { queueId } })).toBe(expected === 'kept' ? 1 : 0);
});
