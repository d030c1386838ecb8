import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { uuidv7 } from '@/lib/uuid';
import { db } from '@/test/database';
import { startAgent } from '@/test/mail/agent';
import {
  answerRequest,
  claimRequest,
  createRequestRunner,
  deleteOldRequests,
  detach,
  recordHeartbeat,
} from './requests';
import { askAgent, isMailServerAttached, mailServerState } from './service';

const agent = { host: 'mail.example.test', instance: uuidv7(), version: '0.1.0' };

beforeEach(async () => {
  await db.mailRequest.deleteMany();
  await db.mailAgent.deleteMany();
});

const unavailable = (message: string) =>
  expect.objectContaining({ apiCode: 'MAIL_STACK_UNAVAILABLE', message: expect.stringContaining(message) });

async function claimed() {
  return expect.poll(() => claimRequest(db, agent)).not.toBeNull();
}

describe('a call to the agent', () => {
  it('returns the agent’s answer', async () => {
    await recordHeartbeat(db, agent);
    const call = askAgent(db, 'queue.change', { change: 'hold', queueId: '4jWXzb' });
    let request: Awaited<ReturnType<typeof claimRequest>> = null;
    while (!request) request = await claimRequest(db, agent);
    expect(request).toMatchObject({ action: 'queue.change', input: { change: 'hold', queueId: '4jWXzb' } });
    await answerRequest(db, request.id, { output: { isKnown: true } });
    expect(await call).toEqual({ isKnown: true });
  });

  it('fails immediately if no agent is attached, responding or running', async () => {
    const ask = () => askAgent(db, 'queue.flush', {});
    await expect(ask()).rejects.toEqual(unavailable('No mail server is attached'));
    await recordHeartbeat(db, agent);
    expect(await isMailServerAttached(db)).toBe(true);
    await db.$executeRaw`UPDATE mail_agent SET beat_at = now() - interval '1 minute'`;
    await expect(ask()).rejects.toEqual(unavailable('No mail server is attached'));
    await recordHeartbeat(db, agent);
    await detach(db, agent);
    await expect(ask()).rejects.toEqual(unavailable('No mail server is attached'));
    expect(await db.mailRequest.count()).toBe(0);
  });

  it('that expires before it is claimed is never run', async () => {
    await recordHeartbeat(db, agent);
    await expect(askAgent(db, 'queue.flush', {}, { withinMs: 100 })).rejects.toEqual(
      unavailable('Nothing was changed'),
    );
    expect(await claimRequest(db, agent)).toBeNull();
  });

  it('that is claimed but not answered reports that it may have been completed', async () => {
    await recordHeartbeat(db, agent);
    const call = expect(askAgent(db, 'queue.flush', {}, { withinMs: 1_000 })).rejects.toEqual(
      unavailable('may still have been completed'),
    );
    await claimed();
    await call;
  });

  it('that fails or is not supported reveals no internals', async () => {
    const fails = async () => {
      throw new Error('postqueue: fatal: the mail system is down');
    };
    onTestFinished(await startAgent(db, { 'queue.flush': fails }));
    await expect(askAgent(db, 'queue.flush', {})).rejects.toEqual(unavailable('The mail agent’s log has the reason'));
    const change = { change: 'hold', queueId: '4jWXzb' } as const;
    await expect(askAgent(db, 'queue.change', change)).rejects.toEqual(unavailable('doesn’t support this operation'));
  });
});

it('reports `silent` after an agent was attached, and `none` before', async () => {
  expect(await mailServerState(db)).toBe('none');
  await recordHeartbeat(db, agent);
  expect(await mailServerState(db)).toBe('attached');
  await db.mailCursor.create({ data: { source: 'mail.example.test log', file: 'a', position: '1' } });
  await detach(db, agent);
  expect(await mailServerState(db)).toBe('silent');
  await expect(askAgent(db, 'queue.flush', {})).rejects.toEqual(unavailable('The mail agent is not responding'));
});

describe('a request', () => {
  const waiting = (over: { expiresAt?: Date; createdAt?: Date } = {}) =>
    db.mailRequest.create({
      data: { action: 'queue.flush', input: {}, expiresAt: new Date(Date.now() + 60_000), ...over },
    });

  it('is claimed once by concurrent agents', async () => {
    await Promise.all(Array.from({ length: 5 }, () => waiting()));
    const claims = await Promise.all(Array.from({ length: 12 }, () => claimRequest(db, agent)));
    const ids = claims.flatMap((claim) => claim?.id ?? []);
    expect(ids).toHaveLength(5);
    expect(new Set(ids).size).toBe(5);
  });

  it('starts while up to three others run, or when one of four has finished', async () => {
    const ends: (() => void)[] = [];
    const slow = () => new Promise<never>((_, reject) => ends.push(() => reject(new Error('the end'))));
    const onDone = vi.fn();
    const requests = createRequestRunner({ db, agent, handlers: { 'queue.flush': slow } }, onDone);
    await requests.startPending();
    expect(ends).toHaveLength(0);
    await Promise.all(Array.from({ length: 6 }, () => waiting()));
    await requests.startPending();
    await requests.startPending();
    expect(ends).toHaveLength(4);
    expect(onDone).not.toHaveBeenCalled();
    ends[0]?.();
    await expect.poll(() => onDone.mock.calls.length).toBe(1);
    await requests.startPending();
    expect(ends).toHaveLength(5);
    for (const end of ends) end();
    await requests.end();
    expect(await db.mailRequest.count({ where: { finishedAt: { not: null } } })).toBe(5);
  });

  it('is not claimed after it expired', async () => {
    await waiting({ expiresAt: new Date(Date.now() - 1_000) });
    expect(await claimRequest(db, agent)).toBeNull();
  });

  it('is deleted after an hour', async () => {
    await waiting({ createdAt: new Date(Date.now() - 2 * 3_600_000) });
    const kept = await waiting();
    await deleteOldRequests(db);
    expect(await db.mailRequest.findMany({ select: { id: true } })).toEqual([{ id: kept.id }]);
  });
});
