import type { SettingGroup } from '@/lib/setting-groups';
import type { SettingName } from './settings.mjs';

type SettingType = 'integer' | 'boolean' | 'string' | 'list';

export type SettingEntry = {
  group: SettingGroup;
  type: SettingType;
  unit: 'days' | 'hours' | 'MB' | 'requests per minute' | null;
  /** Whether an admin can change it while Postroom runs. Others are set in the environment and need a restart. */
  isMutable: boolean;
  /** Shown only as set or not set, or without its password if it is a URL. */
  isSecret: boolean;
  /** How an empty list is written in the environment, where it differs from the default. */
  emptyText?: string;
  description: string;
};

/** Every setting of .env.example. */
export const SETTINGS: Record<SettingName, SettingEntry> = {
  ...inGroup('Server', {
    PORT: fixed('integer', 'Port that Postroom listens on.'),
    HOST: fixed('string', 'Address that Postroom listens on. Not set: all addresses of the machine.'),
    APP_URL: fixed('string', 'Public address of the console. Not set: localhost with the port.'),
    DATABASE_URL: secret('The Postgres database.'),
    DATABASE_READ_URL: secret('A streaming replica of it, for lists, searches and statistics. Not set: none.'),
    DATA_DIR: fixed('string', 'Folder for the embedded database, the sandbox and generated secrets.'),
    REDIS_URL: secret('Redis that counts rate limits for all instances. Not set: Postgres counts them.'),
    TRUSTED_PROXIES: fixed('list', 'Reverse proxies whose X-Forwarded-For is trusted.'),
    LOG_LEVEL: fixed('string', 'Least level of log lines.'),
    CRON_SECRET: secret('Bearer token of /api/cron/webhooks.'),
    SECRET_KEY: secret('Signs cookies and encrypts stored secrets.'),
  }),
  ...inGroup('Mail', {
    SMTP_URL: secret('Mail server to submit messages to, or off. Not set: the sandbox.'),
    MAIL_HOST: fixed(
      'string',
      'Host name of the mail server in DNS records. Not set: the one that the mail agent reports.',
    ),
    MAIL_SERVER_CONFIG: fixed(
      'string',
      'Folder of the mail server’s configuration, read by the mail agent on its host.',
    ),
    SANDBOX_SMTP_PORT: fixed('integer', 'Port on 127.0.0.1 where the sandbox accepts inbound mail.'),
    SANDBOX_RETENTION_DAYS: mutable('integer', 'How long the sandbox keeps messages.', 'days'),
    SANDBOX_MAX_SIZE_MB: mutable('integer', 'How much the sandbox keeps before the oldest messages are deleted.', 'MB'),
  }),
  ...inGroup('Access', {
    ADMIN_EMAIL: fixed('string', 'Email address of the first super admin, used if there is none.'),
    ADMIN_PASSWORD: secret('Password of the first super admin, used if there is none.'),
    SESSION_TTL_HOURS: mutable('integer', 'Session lifetime. Applies to new sessions.', 'hours'),
    OIDC_PROVIDERS: secret('Identity providers for single sign-on.'),
    CORS_ORIGINS: mutable('list', 'Origins whose pages may call the API from a browser with an API key.'),
    WEBHOOK_ALLOW_PRIVATE_NETWORKS: fixed(
      'boolean',
      'Whether webhooks may post to private and other special addresses.',
    ),
  }),
  ...inGroup('Limits', {
    MAX_MESSAGE_SIZE_MB: mutable('integer', 'Largest message accepted for sending.', 'MB'),
    RATE_LIMIT_PER_MINUTE: mutable(
      'integer',
      'Requests from one client address; 0 disables the limit.',
      'requests per minute',
    ),
  }),
  ...inGroup('Monitoring', {
    ALERT_EMAILS: mutable('list', 'Who gets an email when an alert opens, and when it closes.'),
    ALERT_EMAIL_SEVERITY: mutable('string', 'Which alerts are emailed: warning, for all of them, or critical.'),
    ALERT_FROM: mutable(
      'string',
      'Sender of these emails, an address of one of your domains. If not set, they come from postroom@ at the mail server’s domain.',
    ),
    HEARTBEAT_URL: secret('URL of an outside monitor, requested every minute while nothing is down.'),
    METRICS_TOKEN: secret('Bearer token of /api/metrics. Not set: it rejects every request.'),
  }),
  ...inGroup('DNS checks', {
    DNS_SERVERS: mutable(
      'list',
      'DNS servers that check the records of your domains. Empty: those of the operating system.',
    ),
    NETWORK_CHECKS: mutable('boolean', 'Whether DNS checks also connect to the hosts they find, beyond DNS.'),
    BLOCKLISTS: mutable('list', 'Blocklists at which DNS checks look up the mail server’s addresses.', null, 'off'),
    DOMAIN_BLOCKLISTS: mutable('list', 'Blocklists at which DNS checks look up your domains.', null, 'off'),
    CERTIFICATE_ISSUER: mutable('string', 'The authority of your certificates, by its name in CAA records.'),
  }),
  ...inGroup('Backups', {
    BACKUP_TARGET: fixed('string', 'Folder or bucket for backups. Not set: a folder in DATA_DIR.'),
    BACKUP_TIME: mutable('string', 'When the daily backup is made, in UTC such as 03:00, or off.'),
    BACKUP_KEEP_DAILY: mutable('integer', 'For how many days the last scheduled backup is kept.'),
    BACKUP_KEEP_WEEKLY: mutable('integer', 'For how many weeks the last scheduled backup is kept.'),
    BACKUP_KEEP_MONTHLY: mutable('integer', 'For how many months the last scheduled backup is kept.'),
    BACKUP_RECIPIENTS: fixed('list', 'Public keys of age that open backups too, besides the server’s own.'),
    BACKUP_PASSPHRASE: secret('Passphrase that opens backups, instead of keys. Not set: keys.'),
  }),
  ...inGroup('Retention', {
    MESSAGE_RETENTION_DAYS: mutable('integer', 'How long messages are listed; 0 keeps all of them.', 'days'),
    MESSAGE_CONTENT_DAYS: mutable('integer', 'How long the content of messages is kept; 0 keeps none.', 'days'),
    CONTENT_STORE: fixed('string', 'Folder or bucket for the content of messages. Not set: a folder in DATA_DIR.'),
    CONTENT_STORE_MAX_MB: mutable('integer', 'How much content is kept before the oldest is deleted.', 'MB'),
    AWS_ACCESS_KEY_ID: secret('Access key of the buckets in CONTENT_STORE and BACKUP_TARGET.'),
    AWS_SECRET_ACCESS_KEY: secret('Secret of that access key.'),
    EVENT_RETENTION_DAYS: mutable('integer', 'How long events and webhook deliveries are kept.', 'days'),
    AUDIT_RETENTION_DAYS: mutable(
      'integer',
      'After how long audit entries move from the database to files; 0 keeps all of them in the database.',
      'days',
    ),
    REPORT_RETENTION_DAYS: mutable('integer', 'How long DMARC and TLS reports are kept.', 'days'),
  }),
};

type Ungrouped = Omit<SettingEntry, 'group'>;

function inGroup<Key extends SettingName>(group: SettingEntry['group'], entries: Record<Key, Ungrouped>) {
  const grouped = Object.entries<Ungrouped>(entries).map(([key, entry]) => [key, { ...entry, group }]);
  return Object.fromEntries(grouped) as Record<Key, SettingEntry>;
}

function mutable(
  type: SettingType,
  description: string,
  unit: SettingEntry['unit'] = null,
  emptyText?: string,
): Ungrouped {
  return { type, unit, isMutable: true, isSecret: false, description, ...(emptyText && { emptyText }) };
}

function fixed(type: SettingType, description: string): Ungrouped {
  return { type, unit: null, isMutable: false, isSecret: false, description };
}

function secret(description: string): Ungrouped {
  return { type: 'string', unit: null, isMutable: false, isSecret: true, description };
}
