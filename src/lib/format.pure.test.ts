import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { formatAgo, formatBound, formatBytes, formatDate, formatElapsed, formatFull, formatMoment } from './format';
import { chooseTimeZone, currentTimeZone, resolveTimeZone } from './time/time-zone';

const NOW = new Date('2026-11-21T12:00:00Z');
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const before = (ms: number) => new Date(NOW.getTime() - ms).toISOString();

afterEach(() => chooseTimeZone(null));

it.each([
  [MINUTE_MS - 1, 'just now'],
  [MINUTE_MS, '1 min ago'],
  [HOUR_MS - 1, '59 min ago'],
  [DAY_MS - 1, '23 h ago'],
  [DAY_MS, '1 day ago'],
  [7 * DAY_MS - 1, '6 days ago'],
  [7 * DAY_MS, '14 Nov'],
  [400 * DAY_MS, '17 Oct 2025'],
  [-1, 'in a moment'],
  [-5 * MINUTE_MS, 'in 5 min'],
  [-23 * HOUR_MS, 'in 23 h'],
  [-8 * DAY_MS, '29 Nov'],
])('%d ms ago is "%s"', (ms, text) => {
  chooseTimeZone('UTC');
  expect(formatAgo(before(ms), NOW)).toBe(text);
});

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1 KB'],
  [64 * 1024, '64 KB'],
  [1024 ** 2 - 1, '1 MB'],
  [1.5 * 1024 ** 2, '1.5 MB'],
  [750 * 1024 ** 2, '750 MB'],
  [999.9 * 1024 ** 2, '1 GB'],
  [2 * 1024 ** 3, '2 GB'],
  [2000 * 1024 ** 4, '2,000 TB'],
])('%d bytes are "%s", in powers of 1,024', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

describe('the chosen time zone', () => {
  it('decides on the day, the year and the hour, and is named by exact times', () => {
    const at = '2025-12-31T20:00:00Z';
    chooseTimeZone('Asia/Kathmandu');
    expect(formatDate(at, NOW)).toBe('1 Jan');
    expect(formatFull(at)).toBe('1 January 2026, 01:45:00 GMT+5:45');
    expect(formatMoment('2026-11-20T18:30:00Z', NOW)).toBe('00:15:00');
    expect(formatBound('2026-11-20T18:30:00Z', NOW)).toBe('21 Nov 00:15');
    chooseTimeZone('UTC');
    expect(formatDate(at, NOW)).toBe('31 Dec 2025');
    expect(formatFull(at)).toBe('31 December 2025, 20:00:00 UTC');
  });

  it('is the browser’s if the stored one doesn’t exist', () => {
    const own = currentTimeZone();
    chooseTimeZone('Middle/Earth');
    expect(currentTimeZone()).toBe(own);
  });

  it.each([
    ['Etc/Unknown', 'UTC'],
    ['', 'UTC'],
    ['Europe/Kiev', 'Europe/Kyiv'],
    ['Europe/Berlin', 'Europe/Berlin'],
  ])('of a browser that names its zone %j is %s', (timeZone, expected) => {
    const options = { ...Intl.DateTimeFormat().resolvedOptions(), timeZone };
    const found = vi.spyOn(Intl.DateTimeFormat.prototype, 'resolvedOptions').mockReturnValue(options);
    onTestFinished(() => found.mockRestore());
    expect(resolveTimeZone()).toBe(expected);
  });

  it('is the former name of a zone where the browser doesn’t know the later one', () => {
    const { DateTimeFormat } = Intl;
    class Older extends DateTimeFormat {
      constructor(locale?: string, options?: Intl.DateTimeFormatOptions) {
        if (options?.timeZone === 'Europe/Kyiv') throw new RangeError('Invalid time zone');
        super(locale, options);
      }
      override resolvedOptions() {
        return { ...super.resolvedOptions(), timeZone: 'Europe/Kiev' };
      }
    }
    Object.assign(Intl, { DateTimeFormat: Older });
    onTestFinished(() => void Object.assign(Intl, { DateTimeFormat }));
    expect(resolveTimeZone()).toBe('Europe/Kiev');
  });
});

it.each([
  [999, '+999 ms'],
  [59_499, '+59.5 s'],
  [59_500, '+1 min 0 s'],
  [119_700, '+2 min 0 s'],
  [3_599_600, '+1 h 0 min'],
  [7_190_000, '+2 h 0 min'],
])('%d ms have elapsed: %s', (ms, expected) => {
  expect(formatElapsed(NOW.toISOString(), new Date(NOW.getTime() + ms).toISOString())).toBe(expected);
});
