import { z } from 'zod';
import { commaSeparated } from './comma-separated.mjs';

const RECIPIENT = /^age1[02-9ac-hj-np-z]{58}$/;
const MIN_PASSPHRASE_LENGTH = 16;

/** Public keys that archives are encrypted to, besides the server's own. */
export const BackupRecipientsSetting = commaSeparated().refine(
  (keys) => keys.every((key) => RECIPIENT.test(key)),
  'BACKUP_RECIPIENTS must list public keys of age separated by commas, such as those that "age-keygen" prints: age1…',
);

/** Instead of keys. */
export const BackupPassphraseSetting = z
  .string()
  .min(
    MIN_PASSPHRASE_LENGTH,
    `BACKUP_PASSPHRASE is too short: use at least ${MIN_PASSPHRASE_LENGTH} characters ("openssl rand -base64 24" generates one).`,
  )
  .optional();

/** HH:MM in UTC, or null for off. */
export const BackupTimeSetting = z
  .string()
  .regex(
    /^(off|([01]\d|2[0-3]):[0-5]\d)$/,
    'BACKUP_TIME must be a time in UTC such as 03:00, or off; the default is 03:00.',
  )
  .default('03:00')
  .transform((time) => (time === 'off' ? null : time));
