import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { createQueueHandlers } from '@/mail/agent/queue/postfix-queue';
import { makeReceivingHere } from '../../dns-records';
import { expectError, keyClient } from '../../rest';
import { startSmtpServer } from '../../servers/smtp-server';
import { makeDomain, makeMailbox, newName, PASSWORD } from '../support/directory';
import { activateKey } from '../support/dkim-keys';
import { db, mailServer, portOf } from '../support/mail-server';
import { whileStopped } from '../support/services';
import { messageText, openSubmission } from '../support/smtp-session';

const DEFERRED = { code: 451, text: '4.7.1 Greylisted, try again later' };
const UNKNOWN = '4jWsM35xXVzMFgn';

const UNUSED = { findAuthors: async () => new Map(), warn: () => {} };

/** Addresses that the remote server defers. */
const deferredAddresses = new Set<string>();
const remoteServer = await startSmtpServer({
  port: Number(mailServer.settings.RELAY_HOST?.split(':').pop()),
  onRecipient: (address) => (deferredAddresses.has(address) ? DEFERRED : undefined),
});
afterAll(remoteServer.close);
const api = await keyClient({ role: 'admin' });

type Queued = {
  queue_id: string;
  queue: string;
  arrived_at: string;
  next_attempt_at: string | null;
  expires_at: string | null;
  recipients: { address: string; reason: string | null }[];
};

/** Creates a deferred outbound message from a new sender. */
async function deferredMessage() {
  const domain = await makeDomain();
  await activateKey(domain.name, 'first');
  const [from, to] = [`ann@${domain.name}`, `${newName()}@far.example`];
  deferredAddresses.add(to);
  const session = await openSubmission('postroom', String(mailServer.settings.APP_PASSWORD));
  const answer = await session.send(from, [to], messageText({ from, to, subject: 'Hello' }));
  const queueId = /queued as (\w+)/.exec(answer)?.[1] ?? answer;
  await expect.poll(() => queueOf(queueId, from), { timeout: 20_000 }).toBe('deferred');
  return { queueId, domain, from, to };
}

async function listed(query: string): Promise<Queued[]> {
  return (await api.get(`/queue?${query}`)).data;
}

async function queueOf(queueId: string, from: string): Promise<string | undefined> {
  const rows = await listed(`from=${encodeURIComponent(from)}`);
  // Postfix lists a message without a reason while it is being deferred.
  return rows.find((row) => row.queue_id === queueId && row.recipients[0]?.reason !== null)?.queue;
}

async function waitForDelivery(to: string) {
  deferredAddresses.delete(to);
  await expect
    .poll(() => remoteServer.received.some(({ rcptTo }) => rcptTo.includes(to)), { timeout: 20_000 })
    .toBe(true);
}

const hasArrived = (to: string) => remoteServer.received.some(({ rcptTo }) => rcptTo.includes(to));

describe('the queue', () => {
  it('lists deferred messages with the reason and the message in the log', async () => {
    const { queueId, domain, from, to } = await deferredMessage();
    const message = await db.message.create({
      data: {
        messageId: `<${queueId}@${domain.name}>`,
        queueId,
        domainId: domain.id,
        direction: 'outbound',
        fromAddress: from,
        toAddresses: [to],
        subject: 'Hello',
        sizeBytes: 1,
        status: 'deferred',
      },
    });
    const [row, ...others] = await listed(`to=${to}`);
    expect(others).toEqual([]);
    expect(row).toMatchObject({
      queue_id: queueId,
      queue: 'deferred',
      from,
      recipients: [{ address: to, reason: expect.stringContaining(`said: 451 ${DEFERRED.text}`) }],
      recipient_count: 1,
      message: { id: message.id, subject: 'Hello' },
    });
    // minimal_backoff_time is 60 s, and grows with the time in the queue.
    const [arrived, next, expires] = [row?.arrived_at, row?.next_attempt_at, row?.expires_at].map((at) =>
      Date.parse(at ?? ''),
    );
    expect(next).toBeGreaterThan(Date.now());
    expect(next).toBeLessThan(Date.now() + 10 * 60_000);
    expect(expires).toBe(Number(arrived) + 5 * 24 * 60 * 60_000);
    const summary = (await api.get('/queue/summary')).data;
    expect(summary.counts.deferred).toBeGreaterThan(0);
    expect(Date.parse(summary.oldest_arrived_at)).toBeLessThanOrEqual(Date.now());
  });

  it('is paginated and filtered by sender', async () => {
    const [one, other] = [await deferredMessage(), await deferredMessage()];
    const before = await listed('limit=200');
    expect(before.map(({ queue_id }) => queue_id)).toEqual(expect.arrayContaining([one.queueId, other.queueId]));
    const seen: string[] = [];
    for (let cursor = ''; ; ) {
      const { data, meta } = await api.get(`/queue?limit=1${cursor}`);
      seen.push(...data.map(({ queue_id }: Queued) => queue_id));
      if (!meta.pagination?.has_more) break;
      cursor = `&cursor=${meta.pagination.next_cursor}`;
    }
    expect(seen).toEqual(before.map(({ queue_id }) => queue_id));
    expect((await listed(`from=@${one.domain.name}`)).map(({ queue_id }) => queue_id)).toEqual([one.queueId]);
  });

  it('finds what a mailbox submits by its address, and names it, though the envelope sender is a bounce address', async () => {
    const domain = await makeDomain();
    await activateKey(domain.name, 'first');
    await makeReceivingHere(domain);
    await makeMailbox(domain.id, 'ann');
    const [from, to] = [`ann@${domain.name}`, `${newName()}@far.example`];
    deferredAddresses.add(to);
    const session = await openSubmission(from, PASSWORD);
    const answer = await session.send(from, [to], messageText({ from, to, subject: 'Prize' }));
    const queueId = /queued as (\w+)/.exec(answer)?.[1] ?? answer;
    await expect.poll(() => queueOf(queueId, from), { timeout: 20_000 }).toBe('deferred');
    const config = `${mailServer.config}/postfix`;
    const { stdout } = await promisify(execFile)('postcat', ['-c', config, '-e', '-q', queueId]);
    expect(stdout).toMatch(/^sender: bounces\+[0-9a-f]{52}@/m);
    expect(await listed(`to=${to}`)).toMatchObject([{ queue_id: queueId, from }]);
    expect((await api.delete(`/queue/${queueId}`)).data.message).toBe(
      `Message ${queueId} from ${from} to ${to} deleted from the queue.`,
    );
    expect(await listed(`from=${from}`)).toEqual([]);
  });

  it('keeps a message on hold through a flush, rejects a retry, and sends it once released', async () => {
    const { queueId, from, to } = await deferredMessage();
    expect((await api.post(`/queue/${queueId}/hold`)).data.message).toBe(
      `Message ${queueId} from ${from} to ${to} put on hold.`,
    );
    expect((await api.post(`/queue/${queueId}/hold`)).status).toBe(200);
    expect((await listed(`queue=hold&to=${to}`)).map(({ queue_id }) => queue_id)).toEqual([queueId]);
    deferredAddresses.delete(to);
    expectError(await api.post(`/queue/${queueId}/retry`), 409, 'CONFLICT');

    const other = await deferredMessage();
    deferredAddresses.delete(other.to);
    expect((await api.post('/queue/flush')).status).toBe(200);
    await waitForDelivery(other.to);
    expect(hasArrived(to)).toBe(false);
    expect((await api.post(`/queue/${queueId}/release`)).status).toBe(200);
    await waitForDelivery(to);
    await expect.poll(() => listed(`to=${to}`)).toEqual([]);
  });

  it('retries one message immediately, and no others', async () => {
    const [one, other] = [await deferredMessage(), await deferredMessage()];
    expect((await api.post(`/queue/${other.queueId}/release`)).status).toBe(200);
    deferredAddresses.delete(one.to);
    expect((await api.post(`/queue/${one.queueId}/retry`)).status).toBe(200);
    await waitForDelivery(one.to);
    expect((await listed(`to=${other.to}`)).map(({ queue_id }) => queue_id)).toEqual([other.queueId]);
  });

  it('deletes a message', async () => {
    const { queueId, from, to } = await deferredMessage();
    expect((await api.delete(`/queue/${queueId}`)).data.message).toBe(
      `Message ${queueId} from ${from} to ${to} deleted from the queue.`,
    );
    expect(await listed(`to=${to}`)).toEqual([]);
    expectError(await api.delete(`/queue/${queueId}`), 404, 'NOT_FOUND');
  });

  it('answers 404 for unknown messages', async () => {
    for (const verb of ['hold', 'release', 'retry']) {
      expectError(await api.post(`/queue/${UNKNOWN}/${verb}`), 404, 'NOT_FOUND');
    }
    expectError(await api.delete(`/queue/${UNKNOWN}`), 404, 'NOT_FOUND');
  });

  it('answers concurrent requests', async () => {
    const { queueId, to } = await deferredMessage();
    const answers = await Promise.all(Array.from({ length: 8 }, () => listed(`to=${to}`)));
    for (const rows of answers) expect(rows.map(({ queue_id }) => queue_id)).toEqual([queueId]);
  });

  it('answers 503 while Postfix is stopped, and changes nothing', async () => {
    const { queueId, to } = await deferredMessage();
    await whileStopped('postfix', async () => {
      expectError(await api.get('/queue'), 503, 'MAIL_STACK_UNAVAILABLE');
      expectError(await api.get('/queue/summary'), 503, 'MAIL_STACK_UNAVAILABLE');
      expectError(await api.post('/queue/flush'), 503, 'MAIL_STACK_UNAVAILABLE');
      for (const verb of ['hold', 'release', 'retry']) {
        expectError(await api.post(`/queue/${queueId}/${verb}`), 503, 'MAIL_STACK_UNAVAILABLE');
      }
      expectError(await api.delete(`/queue/${queueId}`), 503, 'MAIL_STACK_UNAVAILABLE');
    });
    await expect.poll(() => listed(`to=${to}`)).toMatchObject([{ queue_id: queueId }]);
  });

  it('rejects malformed queue ids', async () => {
    const handlers = createQueueHandlers({ configFolder: `${mailServer.config}/postfix`, ...UNUSED });
    for (const queueId of ['ALL', '-', '-d', '', '../hold', `${UNKNOWN}\n`]) {
      await expect(handlers['queue.change']({ change: 'delete', queueId })).rejects.toThrow('Invalid queue id');
    }
  });
});

it('reports that Postfix isn’t running for a folder without configuration', async () => {
  const handlers = createQueueHandlers({ configFolder: `/nonexistent-${portOf('SMTP_PORT')}`, ...UNUSED });
  await expect(handlers['queue.list']({ order: 'asc', limit: 1 })).rejects.toThrow('Postfix is not running');
});
