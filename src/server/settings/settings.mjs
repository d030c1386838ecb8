import { join, resolve } from 'node:path';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { BackupPassphraseSetting, BackupRecipientsSetting, BackupTimeSetting } from './backup-settings.mjs';
import { commaSeparated } from './comma-separated.mjs';
import {
  AlertEmailSeveritySetting,
  AlertEmailsSetting,
  AlertFromSetting,
  HeartbeatUrlSetting,
} from './monitoring-settings.mjs';
import { OidcProvidersSetting } from './oidc-setting.mjs';
import { storeSetting } from './store-setting.mjs';

const MIN_SECRET_KEY_LENGTH = 32;
const DOMAIN_NAME = /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/;
const LOG_LEVELS = /** @type {const} */ (['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']);
const KEPT_ON_THIS_MACHINE = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

const Environment = z
  .object({
    PORT: wholeNumber('PORT', { min: 1, max: 65535, fallback: 3000 }),
    HOST: z
      .string()
      .refine(
        (value) => ipaddr.isValid(value),
        'HOST must be an address of this machine, such as 127.0.0.1; leave it out to listen on all of them.',
      )
      .optional(),
    APP_URL: z
      .string()
      .transform((value, ctx) =>
        origin(value, ctx, 'APP_URL must be the URL of the console without a path, such as https://mail.example.com.'),
      )
      .optional(),
    DATABASE_URL: z
      .string()
      .refine(
        (value) => isUrlOf(value, ['postgres:', 'postgresql:']),
        'DATABASE_URL must look like postgresql://user:password@host:5432/database; leave it out to use the embedded Postgres.',
      )
      .optional(),
    DATABASE_READ_URL: z
      .string()
      .refine(
        (value) => isUrlOf(value, ['postgres:', 'postgresql:']),
        'DATABASE_READ_URL must look like postgresql://user:password@replica:5432/database; leave it out to read from DATABASE_URL.',
      )
      .optional(),
    DATA_DIR: z.string().default('.data'),
    REDIS_URL: z
      .string()
      .refine(
        (value) => isUrlOf(value, ['redis:', 'rediss:']),
        'REDIS_URL must look like redis://user:password@host:6379, or rediss:// for TLS; leave it out to count limits in Postgres.',
      )
      .optional(),
    SMTP_URL: z
      .string()
      .refine(
        (value) => value === 'off' || isUrlOf(value, ['smtp:', 'smtps:']),
        'SMTP_URL must be off, or look like smtp://user:password@host:587; leave it out to use the sandbox mail server.',
      )
      .optional(),
    MAIL_HOST: z
      .string()
      .toLowerCase()
      .regex(DOMAIN_NAME, 'MAIL_HOST must be the host name of the mail server, such as mail.example.com.')
      .optional(),
    MAIL_SERVER_CONFIG: z.string().default('/etc/postroom-mail'),
    SANDBOX_SMTP_PORT: wholeNumber('SANDBOX_SMTP_PORT', { min: 1, max: 65535, fallback: 2525 }),
    SANDBOX_RETENTION_DAYS: wholeNumber('SANDBOX_RETENTION_DAYS', { min: 1, max: 3650, fallback: 7 }),
    SANDBOX_MAX_SIZE_MB: wholeNumber('SANDBOX_MAX_SIZE_MB', { min: 10, max: 10_000_000, fallback: 1024 }),
    ADMIN_EMAIL: z
      .email('ADMIN_EMAIL must be an email address such as admin@example.com.')
      .transform((email) => email.toLowerCase())
      .optional(),
    ADMIN_PASSWORD: z
      .string()
      .min(12, 'ADMIN_PASSWORD is too short: use at least 12 characters.')
      .max(256, 'ADMIN_PASSWORD is too long: use at most 256 characters.')
      .optional(),
    SECRET_KEY: commaSeparated().refine(
      (keys) => keys.every((key) => key.length >= MIN_SECRET_KEY_LENGTH),
      `SECRET_KEY must be at least ${MIN_SECRET_KEY_LENGTH} characters (each key, if it lists several): "openssl rand -hex 32" generates one.`,
    ),
    CRON_SECRET: z
      .string()
      .min(16, 'CRON_SECRET is too short: use at least 16 characters ("openssl rand -hex 32" generates one).')
      .optional(),
    METRICS_TOKEN: z
      .string()
      .min(16, 'METRICS_TOKEN is too short: use at least 16 characters ("openssl rand -hex 32" generates one).')
      .optional(),
    ALERT_EMAILS: AlertEmailsSetting,
    ALERT_EMAIL_SEVERITY: AlertEmailSeveritySetting,
    ALERT_FROM: AlertFromSetting,
    HEARTBEAT_URL: HeartbeatUrlSetting,
    SESSION_TTL_HOURS: wholeNumber('SESSION_TTL_HOURS', { min: 1, max: 8760, fallback: 24 }),
    MAX_MESSAGE_SIZE_MB: wholeNumber('MAX_MESSAGE_SIZE_MB', { min: 1, max: 100, fallback: 50 }),
    DNS_SERVERS: commaSeparated().refine(
      (servers) => servers.every(isDnsServer),
      'DNS_SERVERS must list addresses separated by commas, with a port if it is not 53, such as 127.0.0.1,[2001:db8::1]:5353.',
    ),
    TRUSTED_PROXIES: commaSeparated().refine(
      (proxies) => proxies.every(isAddressOrRange),
      'TRUSTED_PROXIES must list addresses or ranges separated by commas, such as 10.0.0.5,192.168.0.0/16.',
    ),
    OIDC_PROVIDERS: OidcProvidersSetting,
    WEBHOOK_ALLOW_PRIVATE_NETWORKS: trueOrFalse('WEBHOOK_ALLOW_PRIVATE_NETWORKS', false),
    NETWORK_CHECKS: trueOrFalse('NETWORK_CHECKS', true),
    BLOCKLISTS: domainNames('BLOCKLISTS', 'zen.spamhaus.org,bl.spamcop.net'),
    DOMAIN_BLOCKLISTS: domainNames('DOMAIN_BLOCKLISTS', 'dbl.spamhaus.org'),
    CERTIFICATE_ISSUER: z
      .string()
      .toLowerCase()
      .regex(DOMAIN_NAME, 'CERTIFICATE_ISSUER must be the authority’s name in CAA records, such as letsencrypt.org.')
      .default('letsencrypt.org'),
    MESSAGE_RETENTION_DAYS: wholeNumber('MESSAGE_RETENTION_DAYS', { min: 0, max: 3650, fallback: 90 }),
    EVENT_RETENTION_DAYS: wholeNumber('EVENT_RETENTION_DAYS', { min: 1, max: 3650, fallback: 30 }),
    AUDIT_RETENTION_DAYS: wholeNumber('AUDIT_RETENTION_DAYS', { min: 0, max: 3650, fallback: 0 }),
    REPORT_RETENTION_DAYS: wholeNumber('REPORT_RETENTION_DAYS', { min: 1, max: 3650, fallback: 400 }),
    MESSAGE_CONTENT_DAYS: wholeNumber('MESSAGE_CONTENT_DAYS', { min: 0, max: 3650, fallback: 7 }),
    CONTENT_STORE: storeSetting('CONTENT_STORE', '/var/lib/postroom/content'),
    CONTENT_STORE_MAX_MB: wholeNumber('CONTENT_STORE_MAX_MB', { min: 10, max: 100_000_000, fallback: 10_240 }),
    BACKUP_TARGET: storeSetting('BACKUP_TARGET', '/mnt/backups'),
    BACKUP_TIME: BackupTimeSetting,
    BACKUP_KEEP_DAILY: wholeNumber('BACKUP_KEEP_DAILY', { min: 1, max: 3650, fallback: 7 }),
    BACKUP_KEEP_WEEKLY: wholeNumber('BACKUP_KEEP_WEEKLY', { min: 0, max: 520, fallback: 0 }),
    BACKUP_KEEP_MONTHLY: wholeNumber('BACKUP_KEEP_MONTHLY', { min: 0, max: 120, fallback: 0 }),
    BACKUP_RECIPIENTS: BackupRecipientsSetting,
    BACKUP_PASSPHRASE: BackupPassphraseSetting,
    AWS_ACCESS_KEY_ID: z.string().optional(),
    AWS_SECRET_ACCESS_KEY: z.string().optional(),
    CORS_ORIGINS: commaSeparated().transform((origins, ctx) =>
      origins.map((value) =>
        origin(
          value,
          ctx,
          'CORS_ORIGINS must list origins separated by commas, such as https://app.example.com,http://localhost:5173.',
        ),
      ),
    ),
    RATE_LIMIT_PER_MINUTE: wholeNumber('RATE_LIMIT_PER_MINUTE', { min: 0, max: 1_000_000, fallback: 6000 }),
    LOG_LEVEL: z
      .enum(LOG_LEVELS, `LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}; the default is info.`)
      .default('info'),
  })
  .refine((env) => (env.ADMIN_EMAIL === undefined) === (env.ADMIN_PASSWORD === undefined), {
    error: 'ADMIN_EMAIL and ADMIN_PASSWORD belong together: set both or neither.',
    when: () => true,
  })
  .refine((env) => env.DATABASE_READ_URL === undefined || env.DATABASE_URL !== undefined, {
    error: 'DATABASE_READ_URL is a replica of your own Postgres: set DATABASE_URL too.',
    when: () => true,
  })
  .refine((env) => env.CONTENT_STORE?.kind !== 's3' || (env.AWS_ACCESS_KEY_ID && env.AWS_SECRET_ACCESS_KEY), {
    error: 'CONTENT_STORE is a bucket: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to its credentials.',
    when: () => true,
  })
  .refine((env) => env.BACKUP_PASSPHRASE === undefined || env.BACKUP_RECIPIENTS.length === 0, {
    error:
      'BACKUP_PASSPHRASE and BACKUP_RECIPIENTS exclude each other: an archive is encrypted with a passphrase or to keys.',
    when: () => true,
  })
  .refine((env) => env.BACKUP_TARGET?.kind !== 's3' || (env.AWS_ACCESS_KEY_ID && env.AWS_SECRET_ACCESS_KEY), {
    error: 'BACKUP_TARGET is a bucket: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to its credentials.',
    when: () => true,
  });

const Settings = Environment.transform((env) => ({
  port: env.PORT,
  /** The address to listen on; unset for all of them. */
  host: env.HOST,
  appUrl: env.APP_URL ?? `http://localhost:${env.PORT}`,
  /** Unset until `npm start` has started the embedded Postgres; always set in the app. */
  databaseUrl: env.DATABASE_URL,
  /** Unset: every read goes to `databaseUrl`. */
  databaseReadUrl: env.DATABASE_READ_URL,
  dataDir: resolve(env.DATA_DIR),
  /** Unset: rate limits are counted in Postgres. */
  redisUrl: env.REDIS_URL,
  /** 'off', a URL, or undefined for the sandbox mail server. */
  smtpUrl: env.SMTP_URL,
  /** The mail server's host name in DNS records. Unset: that of the mail agent, or of APP_URL. */
  mailHost: env.MAIL_HOST,
  /** Folder of the mail server's generated configuration, for `npm run mail-agent` only. */
  mailServerConfig: resolve(env.MAIL_SERVER_CONFIG),
  sandboxSmtpPort: env.SANDBOX_SMTP_PORT,
  sandboxRetentionDays: env.SANDBOX_RETENTION_DAYS,
  sandboxMaxSizeMb: env.SANDBOX_MAX_SIZE_MB,
  adminEmail: env.ADMIN_EMAIL,
  adminPassword: env.ADMIN_PASSWORD,
  /** The first one signs and encrypts, all of them verify. Empty until `npm start` has generated one. */
  secretKeys: env.SECRET_KEY,
  /** Bearer token of /api/cron/*. Without one, these routes reject every call. */
  cronSecret: env.CRON_SECRET,
  /** Bearer token of /api/metrics. Without one, the route rejects every call. */
  metricsToken: env.METRICS_TOKEN,
  /** Empty: alerts are not emailed. */
  alertEmails: env.ALERT_EMAILS,
  /** From this severity on, alerts are emailed. */
  alertEmailSeverity: env.ALERT_EMAIL_SEVERITY,
  /** Unset: postroom@ one of the domains. */
  alertFrom: env.ALERT_FROM,
  heartbeatUrl: env.HEARTBEAT_URL,
  sessionTtlHours: env.SESSION_TTL_HOURS,
  maxMessageSizeMb: env.MAX_MESSAGE_SIZE_MB,
  /** Empty: those of the operating system. */
  dnsServers: env.DNS_SERVERS,
  /** Whether checks of a domain connect to its hosts, beyond DNS. */
  networkChecks: env.NETWORK_CHECKS,
  /** Lists of addresses, and of domains, that send spam. */
  blocklists: env.BLOCKLISTS,
  domainBlocklists: env.DOMAIN_BLOCKLISTS,
  certificateIssuer: env.CERTIFICATE_ISSUER,
  trustedProxies: env.TRUSTED_PROXIES,
  oidcProviders: env.OIDC_PROVIDERS,
  webhookAllowPrivateNetworks: env.WEBHOOK_ALLOW_PRIVATE_NETWORKS,
  messageRetentionDays: env.MESSAGE_RETENTION_DAYS,
  eventRetentionDays: env.EVENT_RETENTION_DAYS,
  /** 0 keeps all entries in the database. */
  auditRetentionDays: env.AUDIT_RETENTION_DAYS,
  reportRetentionDays: env.REPORT_RETENTION_DAYS,
  /** 0 keeps no content. */
  messageContentDays: env.MESSAGE_CONTENT_DAYS,
  contentStore: env.CONTENT_STORE ?? {
    kind: /** @type {const} */ ('file'),
    folder: join(resolve(env.DATA_DIR), 'content'),
  },
  contentStoreMaxMb: env.CONTENT_STORE_MAX_MB,
  /** The mail server has a default of its own. */
  isBackupTargetDefault: env.BACKUP_TARGET === undefined,
  backupTarget: env.BACKUP_TARGET ?? {
    kind: /** @type {const} */ ('file'),
    folder: join(resolve(env.DATA_DIR), 'backups'),
  },
  /** HH:MM in UTC; null for no schedule. */
  backupTime: env.BACKUP_TIME,
  backupKeepDaily: env.BACKUP_KEEP_DAILY,
  backupKeepWeekly: env.BACKUP_KEEP_WEEKLY,
  backupKeepMonthly: env.BACKUP_KEEP_MONTHLY,
  /** Besides the server's own key. */
  backupRecipients: env.BACKUP_RECIPIENTS,
  /** Unset: archives are encrypted to keys. */
  backupPassphrase: env.BACKUP_PASSPHRASE,
  /** Credentials for the buckets in CONTENT_STORE and BACKUP_TARGET. */
  bucketCredentials: { accessKeyId: env.AWS_ACCESS_KEY_ID ?? '', secretAccessKey: env.AWS_SECRET_ACCESS_KEY ?? '' },
  corsOrigins: env.CORS_ORIGINS,
  rateLimitPerMinute: env.RATE_LIMIT_PER_MINUTE,
  logLevel: env.LOG_LEVEL,
}));

/** @typedef {Readonly<z.output<typeof Settings>>} Settings */

/** @typedef {keyof typeof Environment.shape} SettingName */

export const settingNames = /** @type {readonly SettingName[]} */ (Object.freeze(Object.keys(Environment.shape)));

/**
 * Reads one setting from its text in the environment, or its default.
 * @param {SettingName} name
 * @param {string} [text]
 * @returns {{ value: unknown } | { problem: string }} undefined as a value for a setting without a default
 */
export function readSetting(name, text) {
  const result = Environment.shape[name].safeParse(text || undefined);
  return result.success ? { value: result.data } : { problem: result.error.issues[0]?.message ?? '' };
}

/**
 * @param {SettingName} name
 * @returns {{ minimum: number | null, maximum: number | null }}
 */
export function settingLimits(name) {
  const { minimum, maximum } = Environment.shape[name].meta() ?? {};
  return {
    minimum: typeof minimum === 'number' ? minimum : null,
    maximum: typeof maximum === 'number' ? maximum : null,
  };
}

class SettingsError extends Error {
  /** @override */
  name = 'SettingsError';
}

/**
 * @param {Record<string, string | undefined>} env
 * @returns {Settings}
 */
export function readSettings(env) {
  const given = settingNames.map((name) => [name, env[name]]).filter(([, value]) => value);
  const result = Settings.safeParse(Object.fromEntries(given));
  if (result.success) return Object.freeze(result.data);
  throw new SettingsError([...new Set(result.error.issues.map((issue) => issue.message))].join('\n'));
}

/**
 * Warns about settings that are valid but won't work for users.
 * @param {{ appUrl: string }} settings
 * @returns {string | undefined} one sentence
 */
export function warningAbout({ appUrl }) {
  const { protocol, hostname } = new URL(appUrl);
  if (protocol === 'https:' || KEPT_ON_THIS_MACHINE.test(hostname)) return undefined;
  return `Nobody can sign in at ${appUrl}: browsers keep the session cookie over https or on localhost only, so put https in front and set APP_URL to that address.`;
}

/**
 * @param {string} name
 * @param {{ min: number, max: number, fallback: number }} limits
 */
function wholeNumber(name, { min, max, fallback }) {
  const message = `${name} must be a whole number from ${min} to ${max}; the default is ${fallback}.`;
  return z
    .string()
    .regex(/^\d{1,9}$/, message)
    .transform(Number)
    .refine((value) => value >= min && value <= max, message)
    .default(fallback)
    .meta({ minimum: min, maximum: max });
}

/**
 * @param {string} name
 * @param {boolean} fallback
 */
function trueOrFalse(name, fallback) {
  return z
    .enum(['true', 'false'], `${name} must be true or false; the default is ${fallback}.`)
    .transform((value) => value === 'true')
    .default(fallback);
}

/** @param {string} name @param {string} fallback */
function domainNames(name, fallback) {
  const message = `${name} must list domain names separated by commas, or be off; the default is ${fallback}.`;
  return commaSeparated(fallback)
    .transform((names) => (names.join() === 'off' ? [] : names.map((one) => one.toLowerCase())))
    .refine((names) => names.every((one) => DOMAIN_NAME.test(one)), message);
}

/**
 * @param {string} value
 * @param {z.RefinementCtx} ctx
 * @param {string} message
 */
function origin(value, ctx, message) {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const isWeb = url && ['http:', 'https:'].includes(url.protocol);
  if (isWeb && url.href === `${url.origin}/` && !url.hostname.includes('*')) return url.origin;
  ctx.addIssue({ code: 'custom', message });
  return z.NEVER;
}

/**
 * @param {string} value
 * @param {string[]} protocols
 */
function isUrlOf(value, protocols) {
  if (!URL.canParse(value)) return false;
  const url = new URL(value);
  return protocols.includes(url.protocol) && url.hostname !== '';
}

/** @param {string} value */
function isDnsServer(value) {
  const [, bracketed, four, port = '53'] = /^(?:\[([^\]]+)\]|([\d.]+))(?::(\d{1,5}))?$/.exec(value) ?? [];
  const isAddress =
    bracketed !== undefined ? ipaddr.IPv6.isValid(bracketed) : ipaddr.IPv4.isValidFourPartDecimal(four ?? '');
  return (isAddress && Number(port) > 0 && Number(port) < 65536) || ipaddr.IPv6.isValid(value);
}

/** @param {string} value */
function isAddressOrRange(value) {
  const [address = ''] = value.split('/');
  const isPlainAddress = ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address);
  return isPlainAddress && (value === address || ipaddr.isValidCIDR(value));
}
