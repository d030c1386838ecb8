import { formatCount } from '@/lib/format';
import type { Setting } from '../schema';

export type SettingValue = Setting['value'];

export function isSameValue(one: SettingValue, other: SettingValue): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** A value in words: numbers with their unit, if they have one, lists separated by commas. */
export function valueText(value: SettingValue, unit: string | null): string {
  if (value === null || value === '') return 'Not set';
  if (Array.isArray(value)) return value.join(', ') || 'None';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value === 'string') return value;
  return unit ? `${formatCount(value)} ${unit}` : String(value);
}
