import { expect } from 'vitest';
import type { OutboundRequest, OutboundResult } from '@/server/outbound/request';

type Post = (request: OutboundRequest) => Promise<OutboundResult>;

export function scriptedEndpoint(answer: (request: OutboundRequest) => OutboundResult) {
  const requests: OutboundRequest[] = [];
  const post: Post = async (request) => {
    requests.push(request);
    return answer(request);
  };
  return { requests, post };
}

/** An endpoint that responds to no request until it is released. */
export function heldEndpoint() {
  let released: OutboundResult | null = null;
  let most = 0;
  let under = 0;
  const waiters: ((result: OutboundResult) => void)[] = [];
  const post: Post = async () => {
    under += 1;
    most = Math.max(most, under);
    const result = released ?? (await new Promise<OutboundResult>((resolve) => waiters.push(resolve)));
    under -= 1;
    return result;
  };
  return {
    post,
    most: () => most,
    waiting: (count: number) => expect.poll(() => waiters.length).toBe(count),
    release(result: OutboundResult) {
      released = result;
      for (const waiter of waiters) waiter(result);
    },
  };
}

export function ok(): OutboundResult {
  return answered(200, 'OK');
}

export function answered(status: number, statusText = ''): OutboundResult {
  return {
    outcome: 'answered',
    durationMs: 5,
    remoteAddress: '192.0.2.1',
    status,
    statusText,
    headers: [],
    excerpt: '',
  };
}

export function failed(reason: 'timeout' | 'dns' | 'blocked_address'): OutboundResult {
  return { outcome: 'failed', durationMs: 10_000, remoteAddress: null, reason, message: 'It failed.' };
}
