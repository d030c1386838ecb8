import { parse } from 'csv-parse/sync';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeDomain, makeMailbox } from '@/test/factories';
import { startAgent } from '@/test/mail/agent';
import { type QueueFile, queueFile, queueInMemory, REFUSED } from '@/test/mail/queued-mail';
import { expectError, keyClient } from '@/test/rest';

const [FIRST, SECOND, THIRD] = ['4jWsM30000zMFgn', '4jWsM30001zMFgn', '4jWsM30002zMFgn'] as const;
const files: QueueFile[] = [];
let broken: Error | null = null;
let held: Promise<void> | null = null;

const [AUTHOR, BOUNCE_ADDRESS] = ['ann@harbour.example', `bounces+${'0a'.repeat(26)}@harbour.example`];
const inMemory = queueInMemory(files, async () => new Map([[BOUNCE_ADDRESS, AUTHOR]]));
const endAgent = await startAgent(db, {
  'queue.list': (query) => unlessBroken(() => inMemory['queue.list'](query)),
  'queue.change': (change) => unlessBroken(() => inMemory['queue.change'](change)),
  'queue.flush': (input) => unlessBroken(() => inMemory['queue.flush'](input)),
});
afterAll(endAgent);

async function unlessBroken<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  await held;
  if (broken) throw broken;
  return work();
}

beforeEach(() => {
  broken = null;
  held = null;
  const fill = [
    queueFile({ queue_id: FIRST, arrival_time: 1_795_265_000 }),
    queueFile({ queue_id: SECOND, arrival_time: 1_795_265_007, queue_name: 'hold', sender: 'MAILER-DAEMON' }),
    queueFile({ queue_id: THIRD, arrival_time: 1_795_265_007, recipients: [{ address: 'cy@near.example' }] }),
  ];
  files.splice(0, files.length, ...fill);
});

const lastEntry = (resource: string) => db.auditEntry.findFirst({ where: { resource }, orderBy: { id: 'desc' } });
const idsOf = (data: { queue_id: string }[]) => data.map(({ queue_id }) => queue_id);

function makeMessage(queueId: string, direction: 'outbound' | 'inbound', domainId?: string) {
  const data = {
    messageId: `<${queueId}.${direction}.${domainId}@harbour.example>`,
    queueId,
    domainId,
    direction,
    fromAddress: 'orders@harbour.example',
    toAddresses: ['ann@far.example'],
    subject: `An ${direction} one`,
    sizeBytes: 1,
    status: 'deferred' as const,
  };
  return db.message.create({ data, select: { id: true, messageId: true, subject: true } });
}

describe('listing the queue', () => {
  it('does not hold up other reads of the admin while the mail agent is slow', async () => {
    const api = await keyClient({ role: 'admin' });
    let release = () => {};
    held = new Promise((resolve) => {
      release = resolve;
    });
    const slow = Promise.all(Array.from({ length: 8 }, () => api.get('/queue')));
    expect((await api.get('/aliases')).status).toBe(200);
    release();
    for (const { status } of await slow) expect(status).toBe(200);
  });

  it('returns recipients, reason and linked message, newest first', async () => {
    const api = await keyClient({ role: 'admin' });
    await makeMessage(FIRST, 'inbound');
    const { id, messageId, subject } = await makeMessage(FIRST, 'outbound');
    const { data, meta } = await api.get('/queue');
    expect(idsOf(data)).toEqual([THIRD, SECOND, FIRST]);
    expect(data[1]).toMatchObject({ queue: 'hold', from: '', message: null });
    expect(data[2]).toEqual({
      queue_id: FIRST,
      queue: 'deferred',
      from: 'orders@harbour.example',
      from_suspended: false,
      recipients: [{ address: 'ann@far.example', reason: REFUSED, mailbox_id: null }],
      recipient_count: 1,
      size: 2_748,
      arrived_at: '2026-11-21T12:43:20.000Z',
      next_attempt_at: null,
      expires_at: null,
      message: { id, message_id: messageId, subject },
    });
    expect(meta.pagination).toEqual({ next_cursor: '', has_more: false });
  });

  it('names the mailbox of a recipient', async () => {
    const api = await keyClient({ role: 'admin' });
    const domain = await makeDomain();
    const { id } = await makeMailbox(domain.id, 'ann');
    const recipients = [{ address: `Ann@${domain.name}`, delay_reason: REFUSED }, { address: `bo@${domain.name}` }];
    files.push(queueFile({ queue_id: '4jWsM30003zMFgn', arrival_time: 1_795_265_009, recipients }));
    const [{ recipients: shown }] = (await api.get('/queue')).data;
    expect(shown.map(({ mailbox_id }: { mailbox_id: string | null }) => mailbox_id)).toEqual([id, null]);
  });

  it('filters by queue, sender and recipient', async () => {
    const api = await keyClient({ role: 'admin' });
    expect(idsOf((await api.get('/queue?queue=hold')).data)).toEqual([SECOND]);
    expect(idsOf((await api.get('/queue?from=%3C%3E')).data)).toEqual([SECOND]);
    expect(idsOf((await api.get('/queue?from=ORDERS@Harbour.example&order=asc')).data)).toEqual([FIRST, THIRD]);
    expect(idsOf((await api.get('/queue?to=@near.example')).data)).toEqual([THIRD]);
    for (const query of ['queue=corrupt', 'from=ann', 'to=%3C%3E', 'to=@', 'to=a@b.example%0A', 'sort=size']) {
      expectError(await api.get(`/queue?${query}`), 400, 'VALIDATION_ERROR');
    }
  });

  it('lists and changes messages with a bounce address as those of their author', async () => {
    const api = await keyClient({ role: 'admin' });
    files.push(queueFile({ queue_id: '4jWsM30003zMFgn', sender: BOUNCE_ADDRESS }));
    expect((await api.get(`/queue?from=${AUTHOR}`)).data).toMatchObject([
      { queue_id: '4jWsM30003zMFgn', from: AUTHOR },
    ]);
    await api.delete('/queue/4jWsM30003zMFgn');
    expect(await lastEntry('queue:4jWsM30003zMFgn')).toMatchObject({ details: { before: { from: AUTHOR } } });
  });

  it('continues after the previous page when messages have left, and rejects other cursors', async () => {
    const api = await keyClient({ role: 'admin' });
    const first = await api.get('/queue?limit=1');
    const cursor = first.meta.pagination?.next_cursor ?? '';
    expect(idsOf(first.data)).toEqual([THIRD]);
    files.splice(2, 1);
    expect(idsOf((await api.get(`/queue?limit=1&cursor=${cursor}`)).data)).toEqual([SECOND]);
    expectError(await api.get(`/queue?limit=1&order=asc&cursor=${cursor}`), 400, 'INVALID_PAGINATION');
    expectError(await api.get('/queue?cursor=x'), 400, 'INVALID_PAGINATION');
  });

  it('counts the whole queue', async () => {
    const api = await keyClient({ role: 'admin' });
    const counts = { deferred: 2, active: 0, incoming: 0, hold: 1, maildrop: 0 };
    expect((await api.get('/queue/summary')).data).toEqual({
      total: 3,
      counts,
      oldest_arrived_at: '2026-11-21T12:43:20.000Z',
      causes: [expect.objectContaining({ to: 'ann@far.example', count: 1 })],
      suspended_senders: [],
    });
    files.splice(0);
    expect((await api.get('/queue/summary')).data).toMatchObject({ total: 0, oldest_arrived_at: null });
    expect((await api.get('/queue')).data).toEqual([]);
  });

  it('says why messages wait, with the mailbox that can be fixed', async () => {
    const api = await keyClient({ role: 'admin' });
    const domain = await makeDomain();
    const { id } = await makeMailbox(domain.id, 'ann');
    const reason = 'host mx[192.0.2.7] said: 452 4.2.2 Mailbox full';
    const recipients = [{ address: `Ann@${domain.name}`, delay_reason: reason }];
    const full = [1_795_265_100, 1_795_265_009].map((arrival_time, index) =>
      queueFile({ queue_id: `4jWsM3000${index + 3}zMFgn`, arrival_time, recipients }),
    );
    files.push(...full);
    expect((await api.get('/queue/summary')).data.causes[0]).toEqual({
      to: `ann@${domain.name}`,
      reason,
      count: 2,
      oldest_arrived_at: '2026-11-21T12:43:29.000Z',
      first_expires_at: null,
      mailbox_id: id,
    });
  });

  it('names the suspended senders with messages in the queue, which wait for no other cause, and marks these', async () => {
    const api = await keyClient({ role: 'admin' });
    const domain = await makeDomain();
    const ann = await makeMailbox(domain.id, 'ann');
    await makeMailbox(domain.id, 'bo');
    for (const [index, local] of ['Ann', 'Ann', 'ann', 'bo'].entries()) {
      await db.message.create({
        data: {
          messageId: `<${index}@${domain.name}>`,
          queueId: `4jWsM3100${index}zMFgn`,
          domainId: domain.id,
          direction: 'outbound',
          fromAddress: `${local}@${domain.name}`,
          toAddresses: [],
          subject: '',
          sizeBytes: 1,
          status: index === 2 ? 'delivered' : 'deferred',
          createdAt: new Date(Date.UTC(2026, 10, 21, 12, index)),
        },
      });
    }
    const arrival_time = 1_795_265_100;
    const deferred = [{ address: 'cy@distant.example', delay_reason: REFUSED }];
    for (const [index, sender] of [`ann@${domain.name}`, `ann@${domain.name}`, `bo@${domain.name}`].entries()) {
      files.push(queueFile({ queue_id: `4jWsM3100${index}zMFgn`, arrival_time, sender, recipients: deferred }));
    }
    const causeOf = async () =>
      (await api.get('/queue/summary')).data.causes.find(({ to }: { to: string }) => to === 'cy@distant.example');
    const senders = async () => (await api.get('/queue/summary')).data.suspended_senders;
    const marked = async () =>
      (await api.get(`/queue?from=@${domain.name}`)).data.map((row: { from_suspended: boolean }) => row.from_suspended);
    expect(await senders()).toEqual([]);
    expect(await marked()).toEqual([false, false, false]);
    expect(await causeOf()).toMatchObject({ count: 3 });
    await db.mailbox.update({ where: { id: ann.id }, data: { suspendedAt: new Date() } });
    expect(await senders()).toEqual([
      {
        from: `ann@${domain.name}`,
        mailbox_id: ann.id,
        count: 2,
        oldest_arrived_at: '2026-11-21T12:45:00.000Z',
        first_expires_at: null,
      },
    ]);
    expect(await causeOf()).toMatchObject({ count: 1 });
    expect(await marked()).toEqual([false, true, true]);
  });

  it('exports the reason why each message waits', async () => {
    const api = await keyClient({ role: 'admin' });
    const text = await (await api.download('/queue/export?format=csv')).text();
    const lines = parse<Record<string, string>>(text, { columns: true, bom: true });
    expect(lines.map(({ queue_id, reason }) => [queue_id, reason])).toEqual([
      [THIRD, ''],
      [SECOND, REFUSED],
      [FIRST, REFUSED],
    ]);
  });

  it('responds 503 without internals if the mail server fails', async () => {
    const api = await keyClient({ role: 'admin' });
    broken = new Error('Postfix is not running.');
    const { error } = expectError(await api.get('/queue'), 503, 'MAIL_STACK_UNAVAILABLE');
    expect(error.message).not.toContain('Postfix');
    expectError(await api.get('/queue/summary'), 503, 'MAIL_STACK_UNAVAILABLE');
  });
});

describe('changing the queue', () => {
  it('holds, releases and retries a message, and audits each operation', async () => {
    const api = await keyClient({ role: 'admin' });
    const domain = await makeDomain();
    await makeMessage(FIRST, 'outbound', domain.id);
    const target = {
      from: 'orders@harbour.example',
      recipients: ['ann@far.example'],
      recipient_count: 1,
    };
    expect((await api.post(`/queue/${FIRST}/hold`)).data.message).toBe(
      `Message ${FIRST} from orders@harbour.example to ann@far.example put on hold.`,
    );
    expect(files[0]?.queue_name).toBe('hold');
    expect(await lastEntry(`queue:${FIRST}`)).toMatchObject({
      action: 'queue.hold',
      outcome: 'success',
      domainId: domain.id,
      details: { before: { queue: 'deferred', ...target }, after: { queue: 'hold', ...target } },
    });
    expect((await api.post(`/queue/${FIRST}/release`)).status).toBe(200);
    expect(files[0]?.queue_name).toBe('deferred');
    expect(await lastEntry(`queue:${FIRST}`)).toMatchObject({ action: 'queue.release', outcome: 'success' });
    expect((await api.post(`/queue/${FIRST}/retry`)).status).toBe(200);
    expect(await lastEntry(`queue:${FIRST}`)).toMatchObject({ action: 'queue.retry', outcome: 'success' });
  });

  it('rejects a retry of a message on hold', async () => {
    const api = await keyClient({ role: 'admin' });
    const { error } = expectError(await api.post(`/queue/${SECOND}/retry`), 409, 'CONFLICT');
    expect(error.message).toContain('Release it');
    expect(files).toHaveLength(3);
    expect(await lastEntry(`queue:${SECOND}`)).toMatchObject({ action: 'queue.retry', outcome: 'denied' });
  });

  it('deletes a message and names its sender and recipients', async () => {
    const api = await keyClient({ role: 'admin' });
    const [file] = files;
    if (file) file.recipients = [{ address: 'ann@far.example' }, { address: 'bo@far.example' }];
    expect((await api.delete(`/queue/${FIRST}`)).data.message).toBe(
      `Message ${FIRST} from orders@harbour.example to ann@far.example and 1 more deleted from the queue.`,
    );
    expect(files).toHaveLength(2);
    expect(await lastEntry(`queue:${FIRST}`)).toMatchObject({
      action: 'queue.delete',
      details: { before: { recipients: ['ann@far.example', 'bo@far.example'] }, after: null },
    });
  });

  it('retries all deferred messages, and none on hold', async () => {
    const api = await keyClient({ role: 'admin' });
    expect((await api.post('/queue/flush')).status).toBe(200);
    expect(idsOf(files)).toEqual([SECOND]);
    expect(await lastEntry('queue')).toMatchObject({ action: 'queue.flush', outcome: 'success' });
  });

  it('rejects operations on an unknown message, and audits each once', async () => {
    const api = await keyClient({ role: 'admin' });
    const resource = 'queue:4jWsM39999zMFgn';
    for (const [method, verb] of [
      ['POST', '/hold'],
      ['POST', '/release'],
      ['POST', '/retry'],
      ['DELETE', ''],
    ] as const) {
      expectError(await api.call(method, `/queue/4jWsM39999zMFgn${verb}`), 404, 'NOT_FOUND');
    }
    const entries = await db.auditEntry.findMany({ where: { resource }, orderBy: { id: 'asc' } });
    expect(entries.map(({ action, outcome }) => [action, outcome])).toEqual(
      ['hold', 'release', 'retry', 'delete'].map((verb) => [`queue.${verb}`, 'denied']),
    );
  });

  it('rejects malformed queue ids', async () => {
    const api = await keyClient({ role: 'admin' });
    for (const id of ['ALL', '-', '-d', '4jWsM3', 'A0000%20B', '4jWsM30000zMFgn%0A', '..%2Fhold', '4aWsM30000zMFgn']) {
      expectError(await api.delete(`/queue/${id}`), 400, 'VALIDATION_ERROR');
    }
    expect(files).toHaveLength(3);
  });

  it('audits operations that failed and may have been completed', async () => {
    const api = await keyClient({ role: 'admin' });
    broken = new Error('Postfix is not running.');
    expectError(await api.delete(`/queue/${THIRD}`), 503, 'MAIL_STACK_UNAVAILABLE');
    expect(await lastEntry(`queue:${THIRD}`)).toMatchObject({ action: 'queue.delete', outcome: 'error' });
    expectError(await api.post('/queue/flush'), 503, 'MAIL_STACK_UNAVAILABLE');
    expect(await lastEntry('queue')).toMatchObject({ action: 'queue.flush', outcome: 'error' });
  });
});
