import type { Setting } from '../schema';
import { isEmptyValue, type SettingValue } from './setting-value';

/**
 * What other pages warn about because of a setting.
 * @param notifiesNobody whether alerts are open and reach nobody, by email or webhook
 */
export function settingWarning(key: Setting['key'], value: SettingValue, notifiesNobody: boolean): string | null {
  if (key === 'ALERT_EMAILS' && isEmptyValue(value) && notifiesNobody) return 'Nobody is notified';
  if (key === 'BACKUP_TIME' && value === 'off') return 'Nothing is backed up';
  const isOnMachine = isEmptyValue(value) || (typeof value === 'string' && value.startsWith('/'));
  if (key === 'BACKUP_TARGET' && isOnMachine) return 'Only on this machine';
  return null;
}
