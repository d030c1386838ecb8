import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { readInstallation } from '@/mail/agent/installation';
import { settleUncertain } from '@/modules/messages/mail-log/outbound/uncertain';
import { expectError } from '../../rest';
import { whileAgentStopped } from '../support/agent';
import { activateKey } from '../support/dkim-keys';
import { db, mailServer } from '../support/mail-server';
import { startSmtpProxy } from '../support/smtp-proxy';
import {
  api,
  at,
  domain,
  remoteAddress,
  remoteServer,
  sendTo,
  traceMail,
  traceOf,
  typesOf,
  waitForEvents,
  webhookEvents,
} from '../support/traced-mail';

await traceMail();

const proxy = await startSmtpProxy();
afterAll(proxy.close);

const MINUTE_MS = 60_000;
const LONG = `${'Good morning. '.repeat(5)}\n`.repeat(1400);

beforeEach(() => activateKey(domain.name, 'first'));

/** Sends a long message with the same Idempotency-Key each time. */
function sendLong(to: string) {
  const body = { from: { email: at('app') }, to: [{ email: to }], subject: 'A long one', text_body: LONG };
  return api.call('POST', '/send', { body, headers: { 'idempotency-key': domain.name } });
}

async function expectUncertain(answer: ReturnType<typeof sendLong>) {
  const { error } = expectError(await answer, 500, 'SEND_FAILED');
  expect(error.details.outcome).toBe('uncertain');
  return error.details as { id: string; message_id: string };
}

const countOf = (id: string) => db.countedSend.count({ where: { id } });

/** The events of a message, once everything that happened until now is reported. */
async function eventsSoFar(messageId: string): Promise<string[]> {
  const { data } = await sendTo([remoteAddress()], 'Afterwards');
  const statusNow = async () => (await traceOf({ messageId: data.message_id })).status;
  await expect.poll(statusNow, { timeout: 40_000 }).toBe('delivered');
  const events = await webhookEvents();
  return events.flatMap(({ event, data: of }) => (of.message_id === messageId ? [event] : [])).toSorted();
}

const copiesReceivedBy = (to: string) => remoteServer.received.filter(({ rcptTo }) => rcptTo.includes(to)).length;

describe('a message whose reply was lost with the connection', () => {
  it('is settled as sent if Postfix accepted it, reported once, and returned to repeated calls', async () => {
    const to = remoteAddress();
    const lost = await whileAgentStopped(async () => {
      const details = await expectUncertain(proxy.withLoss('reply', () => sendLong(to)));
      expect(await expectUncertain(sendLong(to))).toEqual(details);
      return details;
    });
    const [delivered] = await waitForEvents('mail.delivered', 1);
    expect(delivered?.data).toMatchObject({ message_id: lost.message_id, recipient: to });

    const trace = await traceOf({ id: lost.id });
    expect(trace).toMatchObject({ status: 'delivered', queue_id: delivered?.data.queue_id });
    expect(typesOf(trace)).toEqual(['accepted', 'uncertain', 'queued', 'delivered']);
    expect(await sendLong(to)).toMatchObject({ status: 200, data: { message_id: lost.message_id } });
    expect(await eventsSoFar(lost.message_id)).toEqual(['mail.delivered', 'mail.sent']);
    expect(copiesReceivedBy(to)).toBe(1);
    expect(await countOf(lost.id)).toBe(1);
  });

  it('is settled as failed if Postfix didn’t get all of it, doesn’t count, and can be sent again', async () => {
    const to = remoteAddress();
    const lost = await expectUncertain(proxy.withLoss('rest of the data', () => sendLong(to)));
    expect(await eventsSoFar(lost.message_id)).toEqual([]);
    const settleIn = (minutes: number) => settleUncertain(db, logSource(), new Date(Date.now() + minutes * MINUTE_MS));

    await settleIn(1);
    expect(await traceOf({ id: lost.id })).toMatchObject({ status: 'uncertain' });
    expect(await expectUncertain(sendLong(to))).toEqual(lost);
    await settleIn(6);
    expect(await traceOf({ id: lost.id })).toMatchObject({ status: 'failed', queue_id: null });
    expect(await webhookEvents('mail.failed')).toMatchObject([
      { data: { message_id: lost.message_id, recipient: to } },
    ]);
    expect(await countOf(lost.id)).toBe(0);

    const again = await sendLong(to);
    expect(again.status).toBe(200);
    expect(again.data.message_id).not.toBe(lost.message_id);
    expect(await eventsSoFar(again.data.message_id)).toEqual(['mail.delivered', 'mail.sent']);
    expect(await eventsSoFar(lost.message_id)).toEqual(['mail.failed']);
    expect(copiesReceivedBy(to)).toBe(1);
  });
});

const logSource = () => `${readInstallation(mailServer.config).host} log`;
