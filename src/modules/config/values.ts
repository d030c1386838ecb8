import { SETTINGS } from '@/server/settings/declarations.mjs';
import { readSetting, type SettingName } from '@/server/settings/settings.mjs';
import type { Setting } from './schema';

export type Value = NonNullable<Setting['value']>;

/** A value as it is written in the environment, or why it isn't one of this setting. */
export function settingText(key: SettingName, value: Value): { text: string } | { problem: string } {
  const { type, emptyText = '' } = SETTINGS[key];
  if (!isOfType(type, value)) return { problem: WRONG_TYPE[type] };
  if (type === 'string' && value === '') return { problem: 'Enter a value, or null for the default.' };
  if (Array.isArray(value) && value.some((item) => item.includes(',') || item.trim() !== item))
    return { problem: 'List each value on its own, without commas or spaces around it.' };
  const text = Array.isArray(value) ? value.join(',') || emptyText : String(value);
  const read = readSetting(key, text);
  if ('problem' in read) return { problem: read.problem };
  return locksOut(key, value) ? { problem: LOCKED_OUT } : { text };
}

/** A setting's value from its text, or its default; null if it has none. */
export function settingValue(key: SettingName, text?: string): Value | null {
  const read = readSetting(key, text);
  return 'value' in read && isValue(read.value) ? read.value : null;
}

const MIN_RATE_LIMIT = 60;
const LOCKED_OUT = `Enter 0 or at least ${MIN_RATE_LIMIT}: with less, the console itself would be rejected.`;

/** Values that the environment may hold, but that an admin could not take back in the console. */
function locksOut(key: SettingName, value: Value): boolean {
  return key === 'RATE_LIMIT_PER_MINUTE' && typeof value === 'number' && value > 0 && value < MIN_RATE_LIMIT;
}

const WRONG_TYPE: Record<Setting['type'], string> = {
  integer: 'Enter a whole number.',
  boolean: 'Enter true or false.',
  string: 'Enter a text.',
  list: 'Enter a list of texts.',
};

function isOfType(type: Setting['type'], value: Value): boolean {
  if (type === 'integer') return Number.isSafeInteger(value);
  return type === 'list' ? Array.isArray(value) : typeof value === type;
}

function isValue(value: unknown): value is Value {
  const isList = Array.isArray(value) && value.every((item) => typeof item === 'string');
  return isList || ['string', 'number', 'boolean'].includes(typeof value);
}
