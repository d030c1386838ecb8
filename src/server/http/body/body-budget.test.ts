import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { expectError, keyClient } from '@/test/rest';
import { type BodyBudget, reserveBodyBudget } from './body-budget';
import { readBytes } from './read-body';

const KB = 1024;
const MB = 1024 * KB;

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

/** A body whose test decides when bytes arrive. */
function steeredBody() {
  let arrive: (chunk: Uint8Array) => void = () => {};
  let end = () => {};
  let isRead = () => false;
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      arrive = (chunk) => controller.enqueue(chunk);
      end = () => controller.close();
      isRead = () => controller.desiredSize === 1;
    },
  });
  return {
    stream,
    arrive: (bytes: number) => arrive(new Uint8Array(bytes).fill(0x20)),
    end: () => end(),
    isRead: () => isRead(),
  };
}

/** A body of which `sizeBytes` are read, and whose end is missing. */
async function stalledUpload(sizeBytes: number, budget: BodyBudget) {
  const body = steeredBody();
  const reading = readBytes(requestWith(body.stream), 256 * MB, budget);
  // Its rejection is looked at later.
  reading.catch(() => {});
  for (let sent = 0; sent < sizeBytes; sent += 5 * MB) body.arrive(Math.min(5 * MB, sizeBytes - sent));
  await untilRead(body);
  return { ...body, reading };
}

async function untilRead({ isRead }: ReturnType<typeof steeredBody>): Promise<void> {
  do await new Promise(setImmediate);
  while (!isRead());
}

function requestWith(body: ReadableStream<Uint8Array>): Request {
  const init: RequestInit & { duplex: 'half' } = { method: 'POST', body, duplex: 'half' };
  return new Request('http://localhost:3000/', init);
}

function reserving(caller: string) {
  const budget = reserveBodyBudget(caller);
  reserved.push(budget);
  return budget;
}

const reserved: BodyBudget[] = [];
afterEach(() => {
  for (const budget of reserved.splice(0)) budget.release();
});

const unavailable = expect.objectContaining({
  apiCode: 'SERVICE_UNAVAILABLE',
  headers: expect.objectContaining({ 'Retry-After': '2' }),
});

describe('the budget for bodies', () => {
  it('lets a small body through while uploads fill the budget', async () => {
    for (const caller of ['a', 'b']) reserving(caller).take(128 * MB);
    const api = await keyClient();
    expectError(await api.call('POST', '/send/batch', { rawBody: '{"messages": []}' }), 400, 'EMPTY_BATCH');
    expectError(await api.post('/send', { from: 'a@b.example' }), 400, 'MISSING_FIELDS');
  });

  it('gives no caller more than a share of it', () => {
    reserving('a').take(100 * MB);
    expect(() => reserving('a').take(40 * MB)).toThrow(unavailable);
    reserving('b').take(40 * MB);
  });

  it('is free again once a request is done', () => {
    const first = reserving('a');
    first.take(120 * MB);
    first.release();
    first.release();
    reserving('a').take(120 * MB);
  });

  it('refuses an upload while none of the others is slow, and then ends the slowest for it', async () => {
    const [slow, fast] = [reserving('a'), reserving('b')];
    const upload = await stalledUpload(100 * MB, slow);
    await stalledUpload(120 * MB, fast);
    expect(() => reserving('c').take(60 * MB)).toThrow(unavailable);
    vi.advanceTimersByTime(2_000);
    reserving('d').take(60 * MB);
    await expect(upload.reading).rejects.toThrow(unavailable);
    expect([slow.signal.aborted, fast.signal.aborted]).toEqual([true, false]);
  });

  it('ends no request for another whose body has arrived', async () => {
    const [one, other] = [reserving('a'), reserving('b')];
    for (const budget of [one, other]) {
      const body = await stalledUpload(120 * MB, budget);
      body.end();
      await body.reading;
    }
    vi.advanceTimersByTime(60_000);
    expect(() => reserving('c').take(60 * MB)).toThrow(unavailable);
    expect([one.signal.aborted, other.signal.aborted]).toEqual([false, false]);
  });

  it('has room for a sign-in, however many small bodies are stalled', () => {
    const stalled = Array.from({ length: 1_100 }, (_, i) => reserving(`caller-${i % 20}`));
    const held = stalled.filter((budget) => {
      try {
        budget.take(64 * KB);
        return true;
      } catch {
        return false;
      }
    });
    expect(held).toHaveLength(1_024);
    vi.advanceTimersByTime(2_000);
    reserving('203.0.113.7').take(200);
    expect(held.filter(({ signal }) => signal.aborted)).toHaveLength(1);
  });
});

describe('a body', () => {
  const slowly = expect.objectContaining({ apiCode: 'INVALID_JSON', message: 'The body arrived too slowly.' });

  it('ends if it trickles, however much of it came quickly', async () => {
    const upload = await stalledUpload(50 * MB, reserving('a'));
    for (let second = 0; second < 16; second += 1) {
      vi.advanceTimersByTime(1_000);
      upload.arrive(1);
      await Promise.race([untilRead(upload), upload.reading.catch(() => {})]);
    }
    await expect(upload.reading).rejects.toThrow(slowly);
  });

  it('may take minutes over a slow line', async () => {
    const upload = await stalledUpload(KB, reserving('a'));
    for (let seconds = 0; seconds < 180; seconds += 12) {
      vi.advanceTimersByTime(12_000);
      upload.arrive(100 * KB);
      await untilRead(upload);
    }
    upload.end();
    expect((await upload.reading).byteLength).toBe(KB + 15 * 100 * KB);
  });
});
