import { describe, expect, it } from 'vitest';
import { isQueueId } from './queue-id';

describe('a queue id', () => {
  it.each(['4jWsM35xXVzMFgn', '4jWsM31LTWzB', '3F2A91C04D', '0A1B2C'])('is %s', (text) => {
    expect(isQueueId(text)).toBe(true);
  });

  it.each([
    '',
    '-',
    'ALL',
    '-d',
    '0A1B2',
    '3f2a91c04d',
    '4jWsM35xXVMFgn',
    '4aWsM35xXVzMFgn',
    '4jWsM35xXVzMFgn\n',
    ' 4jWsM35xXVzMFgn',
    '4jWsM35xXVzMFgn -d ALL',
    'deferred/4jWsM35xXVzMFgn',
    `${'4'.repeat(300)}zMFgn`,
  ])('is not %j', (text) => {
    expect(isQueueId(text)).toBe(false);
  });
});
