import { expect, it } from 'vitest';
import { keyClient } from '@/test/rest';
import { setSettings } from '@/test/settings';
import type { Setting } from '../schema';
import { settingWarning } from './setting-value';

setSettings({ AWS_ACCESS_KEY_ID: 'ann', AWS_SECRET_ACCESS_KEY: 'paper boats' });
const api = await keyClient({ role: 'super_admin' });

it.each([
  ['ALERT_EMAILS', '', true, 'Nobody is notified'],
  ['ALERT_EMAILS', '', false, null],
  ['ALERT_EMAILS', 'ann@a.example', true, null],
  ['BACKUP_TARGET', '', false, 'Only on this machine'],
  ['BACKUP_TARGET', 's3://offsite/production', false, null],
  ['BACKUP_TIME', 'off', false, 'Nothing is backed up'],
  ['BACKUP_TIME', '03:00', false, null],
  ['METRICS_TOKEN', '', true, null],
])('of %s with "%s", while alerts reaching nobody is %s: %s', async (key, text, notifiesNobody, expected) => {
  setSettings({ [key]: text });
  const { data } = await api.get('/config');
  const setting = data.find((one: Setting) => one.key === key);
  expect(settingWarning(setting, notifiesNobody)).toBe(expected);
});
