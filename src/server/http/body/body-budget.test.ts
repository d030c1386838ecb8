import { expect, it } from 'vitest';
import { expectError, keyClient } from '@/test/rest';

const MIB = 1024 * 1024;

/** A body that sends `sizeBytes` of spaces and then waits until `end` is called. */
function heldBody(sizeBytes: number) {
  const chunk = new Uint8Array(MIB).fill(0x20);
  let sentBytes = 0;
  let end = () => {};
  let reached = () => {};
  const isHeld = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const mayEnd = new Promise<void>((resolve) => {
    end = resolve;
  });
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (sentBytes < sizeBytes) {
        sentBytes += MIB;
        controller.enqueue(chunk);
        return;
      }
      reached();
      await mayEnd;
      controller.close();
    },
  });
  return { stream, isHeld, end };
}

it('bodies in flight share a budget; beyond it 503 with Retry-After, until some are done', async () => {
  const api = await keyClient();
  const post = (rawBody: BodyInit) => api.call('POST', '/send/batch', { rawBody });
  const held = [heldBody(90 * MIB), heldBody(90 * MIB)];
  const waiting = held.map(({ stream }) => post(stream));
  await Promise.all(held.map(({ isHeld }) => isHeld));

  const refused = expectError(await post(heldBody(90 * MIB).stream), 503, 'SERVICE_UNAVAILABLE');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expectError(await post('{"messages": []}'), 400, 'EMPTY_BATCH');

  for (const { end } of held) end();
  for (const answer of await Promise.all(waiting)) expectError(answer, 400, 'INVALID_JSON');
  const after = heldBody(90 * MIB);
  after.end();
  expectError(await post(after.stream), 400, 'INVALID_JSON');
});
