import { z } from 'zod';
import { commaSeparated } from './comma-separated.mjs';

const MAX_ADDRESSES = 20;
const Email = z.email().max(254);

export const AlertEmailsSetting = commaSeparated()
  .refine(
    (addresses) => addresses.every((address) => Email.safeParse(address).success),
    'ALERT_EMAILS must list email addresses separated by commas, such as ops@example.com.',
  )
  .refine(
    (addresses) => addresses.length <= MAX_ADDRESSES,
    `ALERT_EMAILS must list at most ${MAX_ADDRESSES} addresses.`,
  );

export const AlertEmailSeveritySetting = z
  .enum(['warning', 'critical'], 'ALERT_EMAIL_SEVERITY must be warning (all alerts) or critical.')
  .default('warning');

export const AlertFromSetting = z
  .string()
  .refine(
    (address) => Email.safeParse(address).success,
    'ALERT_FROM must be an email address of one of your domains, such as postroom@example.com.',
  )
  .optional();

export const HeartbeatUrlSetting = z
  .string()
  .refine(
    (text) => isHttps(text) && text.length <= 2048,
    'HEARTBEAT_URL must be an https URL without a user name, such as https://hc-ping.com/your-check.',
  )
  .optional();

/** @param {string} text */
function isHttps(text) {
  if (!URL.canParse(text) || /\s/.test(text)) return false;
  const { protocol, username, password } = new URL(text);
  return protocol === 'https:' && !username && !password;
}
