import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import {
  isAddressOrRange,
  isAlertKind,
  isDnsServer,
  isDomainName,
  isEmail,
  isHttps,
  isOrigin,
  isQuietHours,
  isRecipient,
  isRecordName,
  isUrlOf,
  toLowerCase,
  toOrigin,
  toPostgresUrl,
} from './formats.mjs';
import {
  boolean,
  commaSeparated,
  days,
  domainNames,
  fixed,
  inGroup,
  integer,
  list,
  mutable,
  oneOf,
  optional,
  secret,
  secretText,
  text,
  url,
} from './kinds.mjs';
import { OidcProvidersSetting } from './oidc-setting.mjs';
import { storeSetting } from './store-setting.mjs';

const MIN_SECRET_KEY_LENGTH = 32;
const LOG_LEVELS = /** @type {const} */ (['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']);
const POSTGRES = ['postgres:', 'postgresql:'];
const GENERATE_TOKEN = 'openssl rand -hex 32';

const ALL_KINDS = { example: 'system_down,dns_broken', ifUnset: 'all' };
const alertKinds = (isKind = isAlertKind) =>
  list('list kinds of alerts separated by commas, such as', isKind, ALL_KINDS);
const SEVERITIES_TEXT = 'Write warning for all of them, or critical.';
const severities = () =>
  oneOf(
    /** @type {const} */ (['warning', 'critical']),
    'warning',
    'be warning (all alerts) or critical',
    SEVERITIES_TEXT,
  );
/** Names that aren't managed domains are refused when they are saved: see domain-lists.ts of the module config. */
const managedDomains = () =>
  list('list domain names separated by commas, such as', isDomainName, {
    example: 'example.com,example.org',
    ifUnset: 'all',
    normalize: toLowerCase,
  });
/** No webhook hears of one that fails, since it would fail on that, too. @param {string} value */
const isKindForWebhooks = (value) => isAlertKind(value) && value !== 'webhook_failing';

/**
 * Every setting, declared once. How it is read, its type, the configuration page, `.env.example` and the table in README.md
 * follow: `npm run write:settings` writes the last two.
 */
export const SETTINGS = {
  ...inGroup('Server', {
    PORT: fixed(
      'Port',
      'Port that Postroom listens on. If the default port is in use, the next free one is taken.',
      integer({ min: 1, max: 65535, default: 3000 }),
    ),
    HOST: fixed(
      'Listening address',
      'Address that Postroom listens on. Use 127.0.0.1 behind a reverse proxy on the same machine, so that nobody gets past it.',
      optional('be an address of this machine, such as', (value) => ipaddr.isValid(value), {
        example: '127.0.0.1',
        ifUnset: 'all addresses of the machine',
      }),
    ),
    APP_URL: fixed(
      'Console URL',
      'Public address of the console, without a path. Over plain http, people can sign in on localhost only.',
      optional('be the URL of the console without a path, such as', isOrigin, {
        example: 'https://mail.example.com',
        ifUnset: 'localhost with the port',
        normalize: toOrigin,
      }),
    ),
    DATABASE_URL: secret(
      'Database',
      'Your own Postgres, 15 or later.',
      url(POSTGRES, {
        example: 'postgresql://user:password@host:5432/database',
        ifUnset: 'an embedded one in DATA_DIR',
        normalize: toPostgresUrl,
      }),
    ),
    DATABASE_READ_URL: secret(
      'Read replica',
      'A streaming replica of DATABASE_URL, for lists, searches and statistics.',
      url(POSTGRES, {
        example: 'postgresql://user:password@replica:5432/database',
        ifUnset: 'reads from DATABASE_URL',
        normalize: toPostgresUrl,
      }),
      {
        details:
          'One server, not a load balancer, and the same on all instances. While it is unavailable or 10 seconds behind, they read from DATABASE_URL.',
        see: 'growing.md',
      },
    ),
    /** Settings have it as an absolute path. */
    DATA_DIR: fixed(
      'Data folder',
      'Folder for the embedded database, the sandbox and the generated secrets.',
      text(z.string().default('.data')),
      { details: 'The default of npm run dev is .data-dev.' },
    ),
    REDIS_URL: secret(
      'Redis',
      'A Redis that counts rate limits for all instances; rediss:// for TLS.',
      url(['redis:', 'rediss:'], { example: 'redis://user:password@host:6379', ifUnset: 'limits counted in Postgres' }),
      { details: 'While it is unavailable, each instance counts for itself.' },
    ),
    TRUSTED_PROXIES: fixed(
      'Trusted proxies',
      'Addresses or ranges of reverse proxies whose X-Forwarded-For is trusted.',
      list('list addresses or ranges separated by commas, such as', isAddressOrRange, {
        example: '10.0.0.5,192.168.0.0/16',
      }),
    ),
    LOG_LEVEL: fixed(
      'Log level',
      'Lowest level of log lines: trace, debug, info, warn, error, fatal or silent.',
      oneOf(LOG_LEVELS, 'info'),
    ),
    /** The first key signs and encrypts, all of them verify. Empty until `npm start` has generated one. */
    SECRET_KEY: secret(
      'Secret key',
      'Signs cookies and encrypts stored secrets; at least 32 characters.',
      text(
        commaSeparated().refine(
          (keys) => keys.every((key) => key.length >= MIN_SECRET_KEY_LENGTH),
          `must be at least ${MIN_SECRET_KEY_LENGTH} characters (each key, if it lists several): "${GENERATE_TOKEN}" generates one.`,
        ),
        { ifUnset: 'generated in DATA_DIR' },
      ),
      {
        details:
          'To rotate, put the new key first (new,old) and restart: stored secrets are encrypted again. Remove the old key after SESSION_TTL_HOURS. With several instances, first set old,new on all of them.',
      },
    ),
    CRON_SECRET: secret(
      'Cron token',
      'Bearer token of /api/cron/webhooks, at least 16 characters.',
      secretText(16, GENERATE_TOKEN, 'generated in DATA_DIR, file cron-secret'),
    ),
    AWS_ACCESS_KEY_ID: secret(
      'Bucket access key',
      'Access key of the buckets in CONTENT_STORE and BACKUP_TARGET.',
      text(z.string().optional()),
    ),
    AWS_SECRET_ACCESS_KEY: secret('Bucket secret', 'Secret for AWS_ACCESS_KEY_ID.', text(z.string().optional())),
  }),
  ...inGroup('Mail', {
    SMTP_URL: secret(
      'Mail server',
      'Mail server to submit messages to; off disables sending.',
      optional('be off, or look like', (value) => value === 'off' || isUrlOf(value, ['smtp:', 'smtps:']), {
        example: 'smtp://user:password@host:587',
        ifUnset: 'the sandbox, which keeps messages and sends none outside',
      }),
    ),
    MAIL_HOST: fixed(
      'Mail host name',
      'Host name of the mail server, as it appears in the DNS records of your domains.',
      optional('be the host name of the mail server, such as', isDomainName, {
        example: 'mail.example.com',
        ifUnset: 'the one that the mail agent reports, or that of APP_URL',
        normalize: toLowerCase,
      }),
    ),
    MAIL_SERVER_CONFIG: fixed(
      'Mail server folder',
      'Folder that deploy/mail/install wrote, for npm run mail-agent on the mail host only.',
      text(z.string().default('/etc/postroom-mail')),
    ),
    SUBMISSION_BOUNCE_ADDRESSES: mutable(
      'Bounce addresses',
      'Use a bounce address for mail sent by SMTP, so that late bounces update its status.',
      boolean(true),
      { see: 'bounces.md' },
    ),
    SANDBOX_SMTP_PORT: fixed(
      'Sandbox port',
      'Port on 127.0.0.1 where the sandbox accepts mail for your domains, and with an API key over STARTTLS any mail. If the default port is in use, the next free one is taken.',
      integer({ min: 1, max: 65535, default: 2525 }),
    ),
    SANDBOX_RETENTION_DAYS: mutable(
      'Sandbox retention',
      'How long the sandbox keeps messages.',
      days({ min: 1, default: 7 }),
    ),
    SANDBOX_MAX_SIZE_MB: mutable(
      'Sandbox size limit',
      'How much the sandbox keeps before the oldest messages are deleted.',
      integer({ min: 10, max: 10_000_000, default: 1024, unit: 'MB' }),
      { details: 'Checked every 10 minutes.' },
    ),
  }),
  ...inGroup('Access', {
    ADMIN_EMAIL: fixed(
      'First admin',
      'Email address of the first super admin, created if there is none.',
      optional('be an email address such as', isEmail, {
        example: 'admin@example.com',
        ifUnset: 'a setup link, new at each start',
        normalize: toLowerCase,
      }),
      { details: 'A link is valid for 24 hours, and all of them expire once an admin is created.' },
    ),
    ADMIN_PASSWORD: secret(
      'First password',
      'Password of the first super admin, at least 12 characters.',
      text(
        z
          .string()
          .min(12, 'is too short: use at least 12 characters.')
          .max(256, 'is too long: use at most 256 characters.')
          .optional(),
      ),
    ),
    SESSION_TTL_HOURS: mutable(
      'Session lifetime',
      'How long new sessions last.',
      integer({ min: 1, max: 8760, default: 24, unit: 'hours' }),
    ),
    OIDC_PROVIDERS: secret(
      'Single sign-on',
      'Identity providers for single sign-on, as a JSON list.',
      text(OidcProvidersSetting, {
        example:
          '[{"id":"corp","name":"Corp","issuer":"https://id.example.com","clientId":"postroom","clientSecret":"…"}]',
      }),
      { see: 'access.md' },
    ),
    CORS_ORIGINS: mutable(
      'Browser origins',
      'Origins whose pages may call the API from a browser with an API key.',
      list('list origins separated by commas, such as', isOrigin, {
        example: 'https://app.example.com,http://localhost:5173',
        normalize: toOrigin,
      }),
    ),
    WEBHOOK_ALLOW_PRIVATE_NETWORKS: fixed(
      'Private networks',
      'Whether webhooks may post to private, loopback and other special addresses, and DNS checks ask name servers there.',
      boolean(false),
    ),
  }),
  ...inGroup('Limits', {
    MAX_MESSAGE_SIZE_MB: mutable(
      'Message size limit',
      'Largest message accepted for sending.',
      integer({ min: 1, max: 100, default: 50, unit: 'MB' }),
    ),
    SCHEDULED_LATE_HOURS: mutable(
      'Late scheduled messages',
      'How late a scheduled message can still be sent, for example after an outage. After that it fails.',
      integer({ min: 1, max: 720, default: 24, unit: 'hours' }),
      { see: 'sending.md' },
    ),
    RATE_LIMIT_PER_MINUTE: mutable(
      'Request limit',
      'Requests from one client address.',
      integer({ min: 0, max: 1_000_000, default: 6000, unit: 'requests per minute', zeroText: 'There is no limit.' }),
    ),
  }),
  ...inGroup('Monitoring', {
    ALERT_EMAILS: mutable(
      'Alert recipients',
      'Who gets an email when an alert opens, and when it closes.',
      list('list at most 20 email addresses separated by commas, such as', isEmail, {
        example: 'ops@example.com,oncall@example.com',
        ifUnset: 'nobody',
        max: 20,
      }),
      { details: 'Sent through SMTP_URL, at most one email a minute.', see: 'health.md' },
    ),
    ALERT_EMAIL_SEVERITY: mutable('Alert email severity', 'Which alerts are emailed.', severities()),
    ALERT_EMAIL_KINDS: mutable('Alert email kinds', 'Which kinds of alerts are emailed.', alertKinds(), {
      see: 'health.md',
    }),
    ALERT_EMAIL_DOMAINS: mutable(
      'Alert email domains',
      'The domains whose alerts are emailed. Alerts that aren’t about a domain are always emailed.',
      managedDomains(),
    ),
    ALERT_WEBHOOK_SEVERITY: mutable('Alert webhook severity', 'Which alerts are events for webhooks.', severities()),
    ALERT_WEBHOOK_KINDS: mutable(
      'Alert webhook kinds',
      'Which kinds of alerts are events for webhooks.',
      alertKinds(isKindForWebhooks),
      { see: 'health.md' },
    ),
    ALERT_WEBHOOK_DOMAINS: mutable(
      'Alert webhook domains',
      'The domains whose alerts are events for webhooks. Alerts that aren’t about a domain always are.',
      managedDomains(),
      { see: 'health.md' },
    ),
    ALERT_QUIET_HOURS: mutable(
      'Quiet hours',
      'Hours in which emails about warnings wait, in UTC or a time zone. Critical alerts are emailed at once.',
      optional('be hours in UTC such as 22:00-07:00, or in a time zone such as', isQuietHours, {
        example: '22:00-07:00 Europe/Berlin',
      }),
      { see: 'health.md' },
    ),
    ALERT_FROM: mutable(
      'Alert sender',
      'Sender of these emails, an address of one of your domains.',
      optional('be an email address of one of your domains, such as', isEmail, {
        example: 'postroom@example.com',
        ifUnset: 'the name postroom at the mail server’s domain',
      }),
    ),
    HEARTBEAT_URL: secret(
      'Heartbeat URL',
      'URL of an outside monitor, requested every minute while nothing is down.',
      optional('be an https URL without a user name, such as', isHttps, { example: 'https://hc-ping.com/your-check' }),
      {
        details:
          'A monitor such as healthchecks.io alerts you when the requests stop. The URL must be public unless WEBHOOK_ALLOW_PRIVATE_NETWORKS=true.',
        see: 'health.md',
        hasSecretPath: true,
      },
    ),
    METRICS_TOKEN: secret(
      'Metrics token',
      'Bearer token of /api/metrics, at least 16 characters.',
      secretText(16, GENERATE_TOKEN, 'none, and /api/metrics rejects every request'),
      { see: 'monitoring.md' },
    ),
  }),
  ...inGroup('DNS checks', {
    DNS_SERVERS: mutable(
      'DNS servers',
      'DNS servers that check the records of your domains.',
      list('list addresses separated by commas, with a port if it is not 53, such as', isDnsServer, {
        example: '127.0.0.1,[2001:db8::1]:5353',
        ifUnset: 'those of the operating system',
      }),
      { details: 'Use resolvers that verify DNSSEC, best on this machine.' },
    ),
    NETWORK_CHECKS: mutable(
      'Network checks',
      'Whether DNS checks also connect to the hosts they find, beyond DNS.',
      boolean(true),
      { details: 'They fetch the MTA-STS policy, try TLS at port 25, and ask blocklists.' },
    ),
    BLOCKLISTS: mutable(
      'Address blocklists',
      'Blocklists at which DNS checks look up the mail server’s addresses. Enter off to disable them.',
      domainNames('zen.spamhaus.org,bl.spamcop.net'),
    ),
    DOMAIN_BLOCKLISTS: mutable(
      'Domain blocklists',
      'Blocklists at which DNS checks look up your domains. Enter off to disable them.',
      domainNames('dbl.spamhaus.org'),
    ),
    CERTIFICATE_ISSUER: mutable(
      'Certificate authority',
      'The authority of your certificates, by its name in CAA records.',
      text(
        z
          .string()
          .toLowerCase()
          .refine(isDomainName, 'must be the authority’s name in CAA records, such as letsencrypt.org.')
          .default('letsencrypt.org'),
      ),
    ),
    RELAY_SPF: mutable(
      'Relay SPF name',
      'The name that SPF records include, where the mail server sends through a relay.',
      optional('be the name that the relay’s provider says to include, such as', isRecordName, {
        example: '_spf.example.net',
        ifUnset: 'the addresses of the mail server',
        normalize: toLowerCase,
      }),
      { details: 'DNS checks then ask each domain for this include.' },
    ),
  }),
  ...inGroup('Backups', {
    BACKUP_TARGET: fixed(
      'Backup location',
      'Folder or bucket for backups. Several instances need the same one.',
      storeSetting('/mnt/backups', 'the folder backups in DATA_DIR'),
      {
        details:
          'A folder is written file:/path. The default is on the same disk as the data. For storage that wants the bucket in the host name, add style=virtual.',
        see: 'backups.md',
      },
    ),
    /** Null for off. */
    BACKUP_TIME: mutable(
      'Backup time',
      'When the daily backup is made, in UTC such as 03:00, or off.',
      text(
        z
          .string()
          .regex(
            /^(off|([01]\d|2[0-3]):[0-5]\d)$/,
            'must be a time in UTC such as 03:00, or off; the default is 03:00.',
          )
          .default('03:00')
          .transform((time) => (time === 'off' ? null : time)),
      ),
    ),
    BACKUP_KEEP_DAILY: mutable(
      'Daily backups',
      'For how many days one scheduled backup per day is kept.',
      integer({ min: 1, max: 3650, default: 7 }),
    ),
    BACKUP_KEEP_WEEKLY: mutable(
      'Weekly backups',
      'For how many weeks one scheduled backup per week is kept.',
      integer({ min: 0, max: 520, default: 0, zeroText: 'No weekly backups are kept.' }),
    ),
    BACKUP_KEEP_MONTHLY: mutable(
      'Monthly backups',
      'For how many months one scheduled backup per month is kept.',
      integer({ min: 0, max: 120, default: 0, zeroText: 'No monthly backups are kept.' }),
    ),
    BACKUP_RECIPIENTS: fixed(
      'Backup keys',
      'Public keys of age whose owners can open backups too, besides the key in DATA_DIR/backup-key.',
      list('list public keys of age separated by commas, such as those that "age-keygen" prints:', isRecipient, {
        example: 'age1…',
      }),
    ),
    BACKUP_PASSPHRASE: secret(
      'Backup passphrase',
      'Passphrase that opens backups instead of keys, at least 16 characters.',
      secretText(16, 'openssl rand -base64 24'),
    ),
  }),
  ...inGroup('Retention', {
    MESSAGE_RETENTION_DAYS: mutable(
      'Message retention',
      'How long messages are listed.',
      days({ min: 0, default: 90, zeroText: 'Messages are kept forever.' }),
      { details: 'They are deleted with their recipients and traces.', see: 'messages.md' },
    ),
    MESSAGE_CONTENT_DAYS: mutable(
      'Content retention',
      'How long the content of messages is kept.',
      days({ min: 0, default: 7, zeroText: 'No content is kept.' }),
      { see: 'message-content.md' },
    ),
    CONTENT_STORE: fixed(
      'Content location',
      'Folder or bucket for the content of messages. Several instances, and the mail agent, need the same one.',
      storeSetting('/var/lib/postroom/content', 'the folder content in DATA_DIR'),
      {
        details:
          'A folder is written file:/path. For storage that wants the bucket in the host name, add style=virtual.',
        see: 'backups.md',
      },
    ),
    CONTENT_STORE_MAX_MB: mutable(
      'Content size limit',
      'How much content is kept before the oldest is deleted.',
      integer({ min: 10, max: 100_000_000, default: 10_240, unit: 'MB' }),
    ),
    EVENT_RETENTION_DAYS: mutable(
      'Event retention',
      'How long events and webhook deliveries are kept.',
      days({ min: 1, default: 30 }),
      { details: 'The content of mail.received.full events is kept for at most 3 days.' },
    ),
    AUDIT_RETENTION_DAYS: mutable(
      'Audit retention',
      'After how long audit entries move from the database to files in DATA_DIR/audit-archive.',
      days({ min: 0, default: 0, zeroText: 'Entries stay in the database.' }),
      { see: 'access.md' },
    ),
    REPORT_RETENTION_DAYS: mutable(
      'Report retention',
      'How long DMARC and TLS reports are kept, from the day they cover.',
      days({ min: 1, default: 400 }),
    ),
  }),
};
