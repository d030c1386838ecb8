import { expect, it } from 'vitest';
import type { SubmitOutcome } from '@/mail/submission/submit';
import { db } from '@/test/database';
import { makeDomain } from '@/test/factories';
import { AT, currentState, makeMessage } from '@/test/mail/reported-message';
import { recordSubmission } from '../service';

const domain = await makeDomain();
const ACCEPTED: SubmitOutcome = { outcome: 'accepted', queueId: null, response: '250 2.0.0 Ok', refusedRecipients: [] };

const make = () => makeMessage(domain, 'submitting', ['ann@far.example'], { queueId: null });

function record(message: Awaited<ReturnType<typeof make>>, outcome = ACCEPTED) {
  const recipients = ['ann@far.example'];
  return recordSubmission({
    message: { ...message, tags: null, metadata: null, template: null, recipients, domainName: domain.name },
    outcome,
    at: AT,
  });
}

const statusOf = async (message: Awaited<ReturnType<typeof make>>) => (await currentState(message)).status;

it('a message that another transaction has locked holds up no other one, and is recorded once it is free', async () => {
  const [locked, other, later] = [await make(), await make(), await make()];
  const waiting = await db.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT FROM message WHERE id = ${locked.id}::uuid FOR UPDATE`;
    const recorded = record(locked);
    await Promise.all([record(other)]);
    await record(later);
    expect([await statusOf(locked), await statusOf(other), await statusOf(later)]).toEqual([
      'submitting',
      'sent',
      'sent',
    ]);
    return { recorded };
  });
  await waiting.recorded;
  expect(await currentState(locked)).toMatchObject({ status: 'sent', trace: ['queued'], emitted: ['mail.sent'] });
});

it('an outcome that can’t be stored fails alone', async () => {
  const [first, gone, last] = [await make(), await make(), await make()];
  await db.message.delete({ where: { id: gone.id } });
  const results = await Promise.allSettled([record(first), record(gone), record(last)]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect([await statusOf(first), await statusOf(last)]).toEqual(['sent', 'sent']);
});
