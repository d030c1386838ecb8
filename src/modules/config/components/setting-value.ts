import { formatCount } from '@/lib/format';
import type { Setting } from '../schema';

export type SettingValue = Setting['value'];

export function isSameValue(one: SettingValue, other: SettingValue): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The effect of a setting without a value, such as "Nobody". */
export function unsetText({ if_unset: text, mutable }: Pick<Setting, 'if_unset' | 'mutable'>): string {
  if (!text) return mutable ? 'None' : 'Not set';
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function isEmptyValue(value: SettingValue): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

/** The console’s words for values of settings that have few. */
const OPTION_TEXTS = new Map([
  ['warning', 'Critical and warning'],
  ['critical', 'Critical only'],
]);

/** A value in words: numbers with their unit, if they have one, lists separated by commas. */
export function valueText(value: SettingValue, unit: string | null): string {
  if (value === null || value === '') return 'Not set';
  if (Array.isArray(value)) return value.join(', ') || 'None';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value === 'string') return OPTION_TEXTS.get(value) ?? value;
  return unit ? `${formatCount(value)} ${unit}` : String(value);
}

/**
 * Returns the warning that another page has because of a setting's saved value. BACKUP_TIME is null if it is off, and so is
 * BACKUP_TARGET, whatever it is set to.
 * @param notifiesNobody whether alerts are open and reach nobody, by email or webhook
 */
export function settingWarning(
  { key, value, source }: Pick<Setting, 'key' | 'value' | 'source'>,
  notifiesNobody: boolean,
): string | null {
  if (key === 'ALERT_EMAILS' && isEmptyValue(value) && notifiesNobody) return 'Nobody';
  if (key === 'BACKUP_TIME' && value === null) return 'No backups';
  if (key === 'BACKUP_TARGET' && source === 'default') return 'Only here';
  return null;
}
