import { expect, it } from 'vitest';
import { keyClient } from '@/test/rest';
import { setSettings } from '@/test/settings';
import type { Setting } from '../schema';
import { settingWarning, valueText } from './setting-value';

setSettings({ AWS_ACCESS_KEY_ID: 'ann', AWS_SECRET_ACCESS_KEY: 'paper boats' });
const api = await keyClient({ role: 'super_admin' });

it.each([
  ['ALERT_EMAILS', '', true, 'Nobody'],
  ['ALERT_EMAILS', '', false, null],
  ['ALERT_EMAILS', 'ann@a.example', true, null],
  ['BACKUP_TARGET', '', false, 'Only here'],
  ['BACKUP_TARGET', 's3://offsite/production', false, null],
  ['BACKUP_TIME', 'off', false, 'No backups'],
  ['BACKUP_TIME', '03:00', false, null],
  ['METRICS_TOKEN', '', true, null],
])('of %s with "%s", while alerts reaching nobody is %s: %s', async (key, text, notifiesNobody, expected) => {
  setSettings({ [key]: text });
  const { data } = await api.get('/config');
  const setting = data.find((one: Setting) => one.key === key);
  expect(settingWarning(setting, notifiesNobody)).toBe(expected);
});

it('names the values of settings that have few', () => {
  expect(['warning', 'critical', 'info'].map((value) => valueText(value, null))).toEqual([
    'Critical and warning',
    'Critical only',
    'info',
  ]);
});
