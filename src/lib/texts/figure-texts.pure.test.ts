import { expect, it } from 'vitest';
import { formatBefore, isManyBounces, partOfWhole } from './figure-texts';

const TOTALS = { sent: 200, delivered: 150, deferred: 0, bounced: 9, failed: 4, rejected: 0, received: 30, spam: 10 };

it('says what part of the sent or received messages a figure is', () => {
  expect(partOfWhole('delivered', TOTALS)).toBe('75.0% of sent');
  expect(partOfWhole('deferred', TOTALS)).toBe('0% of sent');
  expect(partOfWhole('failed', TOTALS)).toBe('2.0% of sent');
  expect(partOfWhole('spam', TOTALS)).toBe('25.0% of inbound');
  expect(partOfWhole('sent', TOTALS)).toBeNull();
  expect(partOfWhole('bounced', { ...TOTALS, sent: 0 })).toBeNull();
});

it('says how many failed messages were never accepted, because they are no part of the sent ones', () => {
  expect(partOfWhole('failed', { ...TOTALS, rejected: 3 })).toBe('3 never sent');
});

it('gives the figure of the period before', () => {
  expect(formatBefore(1204, 'the period before')).toBe('1,204 the period before');
  expect(formatBefore(0, 'the day before')).toBe('none the day before');
});

it('takes bounces for many from ten on, if they are 5% of what was sent', () => {
  expect(isManyBounces({ sent: 200, bounced: 10 })).toBe(true);
  expect(isManyBounces({ sent: 201, bounced: 10 })).toBe(false);
  expect(isManyBounces({ sent: 20, bounced: 9 })).toBe(false);
});
