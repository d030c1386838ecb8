import { expect, it } from 'vitest';
import type { DeliveryAttempt } from '../../schema';
import { responseLabel } from './attempt-labels';

const attempt = (over: Partial<DeliveryAttempt>) =>
  ({ status_code: null, failure: null, answer: '', ...over }) as DeliveryAttempt;

it('shows the status line of a response, or why there is none', () => {
  const answer = 'HTTP/1.1 503 Service Unavailable\nserver: x\n\nbusy';
  expect(responseLabel(attempt({ status_code: 503, failure: 'status', answer }))).toBe('503 Service Unavailable');
  expect(responseLabel(attempt({ failure: 'timeout', answer: 'HTTP/1.1 is not what arrived' }))).toBe(
    'No response in 10 s',
  );
  expect(responseLabel(attempt({ failure: 'bad_secret' }))).toBe('Secret unreadable');
});
