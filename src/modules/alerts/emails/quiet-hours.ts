import { enteredTime, inputValue } from '@/lib/time/zoned-time';
import { env } from '@/server/settings/env';
import { toQuietHours } from '@/server/settings/formats.mjs';

const DAY_MS = 24 * 3_600_000;

/** Whether it is quiet, in which case emails about warnings wait, and when it last ended. Null without ALERT_QUIET_HOURS. */
export function quietNow(now: Date): { isQuiet: boolean; endedAt: Date } | null {
  const { alertQuietHours } = env();
  return alertQuietHours ? quietAt(alertQuietHours, now) : null;
}

/** @param hours such as `22:00-07:00 Europe/Berlin`. They may pass midnight */
export function quietAt(hours: string, now: Date): { isQuiet: boolean; endedAt: Date } {
  const { from, to, timeZone } = toQuietHours(hours);
  const time = inputValue(now, timeZone).slice(11);
  const isQuiet = from < to ? time >= from && time < to : time >= from || time < to;
  const endOn = (day: Date) => enteredTime(`${inputValue(day, timeZone).slice(0, 10)}T${to}`, timeZone) as Date;
  const today = endOn(now);
  return { isQuiet, endedAt: today <= now ? today : endOn(new Date(now.getTime() - DAY_MS)) };
}
