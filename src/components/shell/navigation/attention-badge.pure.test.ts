import { expect, it } from 'vitest';
import { badgeOf } from './attention-badge';

it('counts what fails, or otherwise the warnings, and all open alerts, as their list does', () => {
  const attention = {
    counts: { mailboxes: 17, domains: 2, services: 1, alerts: 2 },
    critical_counts: { mailboxes: 4, domains: 2, alerts: 4 },
    open_alerts: 6,
  };
  expect(badgeOf('mailboxes', attention)).toEqual({ count: 4, isCritical: true });
  expect(badgeOf('services', attention)).toEqual({ count: 1, isCritical: false });
  expect(badgeOf('alerts', attention)).toEqual({ count: 6, isCritical: true });
  expect(badgeOf('aliases', attention)).toEqual({ count: 0, isCritical: false });
  expect(badgeOf('alerts', undefined)).toEqual({ count: 0, isCritical: false });
});
