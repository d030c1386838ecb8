import { formatCount, formatPlural } from '@/lib/format';
import type { CheckEntry } from './catalog';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A value with its unit; seconds as minutes, hours or days if they are many. */
export function valueText(value: number | null, unit: string | null): string {
  if (value === null) return '–';
  if (unit === null) return formatCount(value);
  if (unit === 's') return durationText(value);
  if (isCounted(unit)) return formatPlural(value, unit.replace(/ies$/, 'y').replace(/s$/, ''), unit);
  return `${formatCount(value)}${unit === '%' ? '' : ' '}${unit}`;
}

/**
 * The values at which a check is no longer ok, such as "Degraded above 500 messages, down above 5,000", or "Down above 20 s" for
 * one that is never degraded.
 */
export function limitsText(limits: CheckEntry['limits'] | null, unit: string | null): string {
  if (!limits) return '';
  const { is, degraded, down } = limits;
  const limit = `${is} ${valueText(degraded, unit)}`;
  if (down === degraded) return `Down ${limit}`;
  if (down === null) return `Degraded ${limit}`;
  return `Degraded ${limit}, down ${is} ${isCounted(unit) ? formatCount(down) : valueText(down, unit)}`;
}

/** Whether a unit is the name of what is counted, such as "messages". */
function isCounted(unit: string | null): boolean {
  return unit !== null && !['ms', 's', '%'].includes(unit);
}

function durationText(seconds: number): string {
  if (seconds < 2 * MINUTE) return `${formatCount(seconds)} s`;
  if (seconds < 2 * HOUR) return `${formatCount(Math.round(seconds / MINUTE))} min`;
  return seconds < 2 * DAY
    ? `${formatCount(Math.round(seconds / HOUR))} h`
    : formatPlural(Math.round(seconds / DAY), 'day');
}
