import { expect, it } from 'vitest';
import { settingWarning } from './setting-warning';

it.each([
  ['ALERT_EMAILS', [], true, 'Nobody is notified'],
  ['ALERT_EMAILS', [], false, null],
  ['ALERT_EMAILS', ['ann@a.example'], true, null],
  ['BACKUP_TARGET', null, false, 'Only on this machine'],
  ['BACKUP_TARGET', '/srv/backups', false, 'Only on this machine'],
  ['BACKUP_TARGET', 's3://offsite/production', false, null],
  ['BACKUP_TIME', 'off', false, 'Nothing is backed up'],
  ['BACKUP_TIME', '03:00', false, null],
  ['METRICS_TOKEN', null, true, null],
] as const)('of %s with %j, while alerts reaching nobody is %s: %s', (key, value, notifiesNobody, expected) => {
  expect(settingWarning(key, Array.isArray(value) ? [...value] : (value as string | null), notifiesNobody)).toBe(
    expected,
  );
});
