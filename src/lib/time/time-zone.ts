import { currentPage } from '../page-request';

/** The cookie in which the browser names the zone of the console's times to the server. */
export const TIME_ZONE_COOKIE = 'postroom-time-zone';

/** Zones that browsers still give a former name. */
const RENAMED: Record<string, string> = {
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Godthab': 'America/Nuuk',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Truk': 'Pacific/Chuuk',
  'Pacific/Ponape': 'Pacific/Pohnpei',
};

let chosen: string | null = null;
let ofBrowser: string | undefined;

/** The zone of all times in the console, null for the browser's. It is one per page: a server must not choose one. */
export function chooseTimeZone(zone: string | null): void {
  chosen = zone !== null && isTimeZone(zone) ? zone : null;
}

export function currentTimeZone(): string {
  return currentPage()?.timeZone ?? chosen ?? browserTimeZone();
}

export function browserTimeZone(): string {
  ofBrowser ??= resolveTimeZone();
  return ofBrowser;
}

let listed: Set<string> | undefined;

/** The zone if it is on the list. Formatters are kept for each, and there are many ways to write the same zone. */
export function listedTimeZone(zone: string): string | null {
  listed ??= new Set(timeZonesWith('UTC'));
  return listed.has(zone) ? zone : null;
}

/** The time zones to choose from, with the one that is chosen and UTC first. */
export function timeZonesWith(first: string): string[] {
  const listed = Intl.supportedValuesOf('timeZone').map((zone) => RENAMED[zone] ?? zone);
  return [...new Set([first, 'UTC', ...listed.toSorted()])];
}

/** Returns a zone's name in everyday words: "UTC" or "Berlin time". */
export function zoneName(zone: string): string {
  if (zone === 'UTC' || zone === 'Etc/UTC') return 'UTC';
  return `${zone.slice(zone.lastIndexOf('/') + 1).replaceAll('_', ' ')} time`;
}

/** Browsers name zones that they don't take: Etc/Unknown after an odd setting of the system, and before 2023 none of the later names. */
export function resolveTimeZone(): string {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return [RENAMED[timeZone] ?? timeZone, timeZone].find(isTimeZone) ?? 'UTC';
}

const NAME = /^[A-Z][\w+-]*(\/[\w+-]+)*$/;

/** Whether it is the name of a zone, and not an offset. */
export function isTimeZone(zone: string): boolean {
  if (!NAME.test(zone)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}
