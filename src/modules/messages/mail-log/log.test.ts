import { beforeEach, describe, expect, it } from 'vitest';
import { APP_LOGIN } from '@/mail/agent/installation';
import type { LogFact } from '@/mail/log/log-line';
import type { Database } from '@/server/database/db';
import { db } from '@/test/database';
import { makeDomain, unique } from '@/test/factories';
import { accepted, delivery, emittedEvents, lines, newQueueId } from '@/test/mail/logged-mail';
import { currentState, makeMessage } from '@/test/mail/reported-message';
import { readCursor } from './cursor';
import { recordLog } from './log';

let domain: { id: string; name: string };

beforeEach(async () => {
  domain = await makeDomain();
});

const TO = ['ann@far.example', 'bo@far.example'];

async function makeSent(to = TO) {
  const queueId = newQueueId();
  const message = await makeMessage(domain, 'sent', to, { queueId });
  const logged = (...facts: LogFact[]) =>
    lines(queueId, ...accepted(`shop@${domain.name}`, { login: APP_LOGIN, messageId: message.messageId }), ...facts);
  return { message, logged };
}

/** Records the entries as one piece. @returns the number of statements */
async function record(entries: ReturnType<typeof lines>): Promise<number> {
  let statements = 0;
  const counted = db.$extends({
    query: {
      $allOperations({ args, query }) {
        statements += 1;
        return query(args);
      },
    },
  }) as unknown as Database;
  await recordLog(counted, await readCursor(db, unique()), { entries, position: { file: '1', offset: 1 } });
  return statements;
}

const recorded = async (message: Parameters<typeof currentState>[0]) => {
  const { status, recipients, trace } = await currentState(message);
  const events = (await emittedEvents(domain.id)).filter(({ id }) => id === message.messageId);
  return { status, recipients, trace, emitted: events.map(({ event }) => event) };
};

const REMOVED: LogFact = { kind: 'removed' };

describe('outcomes in one piece of the log', () => {
  it('of many messages take as many statements as those of one', async () => {
    const sent = await Promise.all(Array.from({ length: 13 }, () => makeSent(['ann@far.example'])));
    const [first, ...others] = sent.map(({ logged }) => logged(delivery('ann@far.example'), REMOVED));
    const statements = await record(first ?? []);
    expect(await record(others.flat())).toBe(statements);
    expect(statements).toBeLessThanOrEqual(5);
    for (const { message } of sent)
      expect(await recorded(message)).toMatchObject({ status: 'delivered', emitted: ['mail.delivered'] });
  });

  it('of one message are recorded in the order of the log', async () => {
    const { message, logged } = await makeSent();
    await record(
      logged(
        delivery('ann@far.example', { status: 'deferred' }),
        delivery('bo@far.example', { status: 'bounced' }),
        { kind: 'held' },
        { kind: 'released' },
        delivery('ann@far.example'),
        REMOVED,
      ),
    );
    expect(await recorded(message)).toEqual({
      status: 'bounced',
      recipients: ['delivered', 'bounced'],
      trace: ['deferred', 'bounced', 'held', 'released', 'delivered'],
      emitted: ['mail.bounced', 'mail.bounced', 'mail.delivered'],
    });
  });

  it('count every status that the message had', async () => {
    const { message, logged } = await makeSent();
    const { _max: last } = await db.analyticsChange.aggregate({ _max: { id: true } });
    await record(logged(delivery('ann@far.example', { status: 'deferred' }), ...TO.map((to) => delivery(to)), REMOVED));
    const changes = await db.analyticsChange.findMany({
      where: { id: { gt: last.id ?? 0 }, domainId: domain.id, recipientDomain: null, delta: { gt: 0 } },
      orderBy: { id: 'asc' },
    });
    expect((await recorded(message)).status).toBe('delivered');
    expect(changes.map(({ status }) => status)).toEqual(['deferred', 'delivered']);
  });

  it('end with the recipients whose result the log doesn’t show', async () => {
    const { message, logged } = await makeSent();
    await record(logged(delivery('ann@far.example'), REMOVED));
    expect(await recorded(message)).toMatchObject({
      status: 'failed',
      recipients: ['delivered', 'failed'],
      emitted: ['mail.delivered', 'mail.failed'],
    });
  });
});
