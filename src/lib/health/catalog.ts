/** A check as System shows and judges it. A value over or under its limits is degraded or down. */
export type CheckEntry = {
  group: 'Mail' | 'Database' | 'Background work' | 'Machines' | 'Instances';
  title: string;
  unit: 'ms' | 's' | '%' | 'days' | 'messages' | 'deliveries' | 'instances' | 'versions' | null;
  /** Missing for a check that only succeeds or fails. */
  limits?: { is: 'above' | 'below'; degraded: number; down: number | null };
  /** Instructions to fix the cause of a check that is degraded or down. */
  fix: string;
};

const above = (degraded: number, down: number | null) => ({ is: 'above' as const, degraded, down });
const below = (degraded: number, down: number | null) => ({ is: 'below' as const, degraded, down });

const CHECKS = {
  submission: {
    group: 'Mail',
    title: 'Submission to the mail server',
    unit: 'ms',
    limits: above(2_000, null),
    fix: 'Check SMTP_URL, and that the mail server runs and accepts connections from this host.',
  },
  mail_agent: {
    group: 'Mail',
    title: 'Mail agent',
    unit: 's',
    limits: above(20, 20),
    fix: 'Start it on the mail server’s host: systemctl start postroom-mail-agent. Mail is delivered meanwhile, but its results arrive later.',
  },
  mail_log: {
    group: 'Mail',
    title: 'Reading the mail log',
    unit: 's',
    limits: above(60, 600),
    fix: 'Look at the agent’s log. Results of messages arrive as soon as it has caught up.',
  },
  smtp: {
    group: 'Mail',
    title: 'SMTP',
    unit: 'ms',
    limits: above(2_000, null),
    fix: 'Restart Postfix and read its log: no mail arrives while this fails.',
  },
  smtp_submission: {
    group: 'Mail',
    title: 'SMTP submission',
    unit: 'ms',
    limits: above(2_000, null),
    fix: 'If IMAP is down too, restart Dovecot, which checks passwords; else Postfix. Read its log: people cannot send while this fails.',
  },
  imap: {
    group: 'Mail',
    title: 'IMAP',
    unit: 'ms',
    limits: above(2_000, null),
    fix: 'Restart Dovecot and read its log: people cannot read their mail while this fails.',
  },
  rspamd: {
    group: 'Mail',
    title: 'Rspamd',
    unit: 'ms',
    limits: above(5_000, null),
    fix: 'Restart Rspamd and read its log: mail is deferred while this fails.',
  },
  mail_redis: {
    group: 'Mail',
    title: 'Redis of the mail server',
    unit: 'ms',
    limits: above(1_000, null),
    fix: 'Restart it on the mail server’s host: systemctl restart postroom-mail-redis. If its memory is full, raise REDIS_MEMORY_MB.',
  },
  relay: {
    group: 'Mail',
    title: 'Relay',
    unit: null,
    fix: 'Test it under System → Services, which shows the conversation. Outbound mail waits in the queue meanwhile.',
  },
  queue: {
    group: 'Mail',
    title: 'Messages in the queue',
    unit: 'messages',
    limits: above(500, 5_000),
    fix: 'Look at the queue: one slow destination, or a mailbox that sends too much?',
  },
  queue_age: {
    group: 'Mail',
    title: 'Oldest message in the queue',
    unit: 's',
    limits: above(4 * 3600, 3 * 86_400),
    fix: 'Look at the oldest message’s last reply in the queue.',
  },
  certificate: {
    group: 'Mail',
    title: 'Certificate of the mail server',
    unit: 'days',
    limits: below(14, 7),
    fix: 'Renew it: clients refuse to connect once it has expired. Postfix and Dovecot serve a replaced file within a minute.',
  },
  certificate_renewal: {
    group: 'Mail',
    title: 'Renewal of the certificate',
    unit: null,
    fix: 'The ACME server must reach port 80 of every name in the certificate, or see the DNS record. It is tried again by itself.',
  },
  mail_backup: {
    group: 'Mail',
    title: 'Last backup of mail',
    unit: 's',
    limits: above(26 * 3600, 74 * 3600),
    fix: 'Read the output of the last backup under System → Services. Check BACKUP_TARGET, and that the mail agent can reach it.',
  },
  database: {
    group: 'Database',
    title: 'Postgres',
    unit: 'ms',
    limits: above(250, 3_000),
    fix: 'Look at the load and the disk of the database server.',
  },
  database_connections: {
    group: 'Database',
    title: 'Connections in use',
    unit: '%',
    limits: above(80, 95),
    fix: 'Raise max_connections, or run fewer instances: each uses up to 30.',
  },
  database_transaction: {
    group: 'Database',
    title: 'Oldest transaction',
    unit: 's',
    limits: above(300, 3_600),
    fix: 'Find it in pg_stat_activity and end it with pg_terminate_backend: it keeps Postgres from cleaning up.',
  },
  database_replication: {
    group: 'Database',
    title: 'Replication lag',
    unit: 's',
    limits: above(30, 300),
    fix: 'Look at the replica: its disk, its network, and long queries on it.',
  },
  read_replica: {
    group: 'Database',
    title: 'Reads from the replica',
    unit: 's',
    limits: above(10, null),
    fix: 'Reads go to the primary meanwhile. Check DATABASE_READ_URL, and that the replica runs and receives changes.',
  },
  redis: {
    group: 'Database',
    title: 'Redis of the rate limits',
    unit: 'ms',
    limits: above(250, null),
    fix: 'Check REDIS_URL and that Redis runs. Each instance counts limits for itself meanwhile.',
  },
  webhooks: {
    group: 'Background work',
    title: 'Webhook deliveries that are due',
    unit: 'deliveries',
    limits: above(1_000, 50_000),
    fix: 'Look for failing webhooks, and that an instance is not draining.',
  },
  webhooks_age: {
    group: 'Background work',
    title: 'Oldest webhook delivery that is due',
    unit: 's',
    limits: above(120, 1_800),
    fix: 'Look for failing or slow webhooks, and at the log of the instances.',
  },
  audit_log: {
    group: 'Background work',
    title: 'Oldest audit entry not sealed',
    unit: 's',
    limits: above(60, 600),
    fix: 'Look at the log of the instances for "sealing the audit log".',
  },
  audit_anchor: {
    group: 'Background work',
    title: 'Audit log continuity',
    unit: null,
    fix: 'If the log went back or was replaced, find out who did that: no entry is sealed until it has what this instance knows. After you restored the database by other means than Postroom’s, run npm run admin -- accept-audit-log. If the end can’t be kept, check that DATA_DIR can be written.',
  },
  tasks: {
    group: 'Background work',
    title: 'Longest overdue task',
    unit: 's',
    limits: above(900, null),
    fix: 'Look for the task under System → Health, and for its name in the log of the instances. A failed task is repeated within a minute. One that runs for hours may wait for a network folder: if so, restart its instance.',
  },
  scheduled_messages: {
    group: 'Background work',
    title: 'Oldest scheduled message overdue',
    unit: 's',
    limits: above(300, 3_600),
    fix: 'The trace of the message says why it was postponed: the mail server may be away or refuse Postroom, or a former key is missing in SECRET_KEY. Messages are listed under Messages, with the status Scheduled. After SCHEDULED_LATE_HOURS they fail.',
  },
  alert_emails: {
    group: 'Background work',
    title: 'Oldest alert email not sent',
    unit: 's',
    limits: above(300, 3_600),
    fix: 'Check ALERT_EMAILS and ALERT_FROM in Configuration, and that the mail server accepts mail. The emails wait for three days.',
  },
  backup: {
    group: 'Background work',
    title: 'Age of the last backup',
    unit: 's',
    limits: above(26 * 3600, 50 * 3600),
    fix: 'Look at Backups for the reason, and at BACKUP_TARGET: its room, its credentials, and that this host reaches it. A failed backup is repeated by itself.',
  },
  backup_proof: {
    group: 'Background work',
    title: 'Age of the last proven backup',
    unit: 's',
    limits: above(26 * 3600, 50 * 3600),
    fix: 'Prove the last backup under Backups. If that fails, the reason is there: an archive that is damaged or has another key, or a database role that may not create databases.',
  },
  heartbeat: {
    group: 'Background work',
    title: 'Requests to HEARTBEAT_URL failing',
    unit: 's',
    limits: above(90, null),
    fix: 'Check HEARTBEAT_URL, and that this host can reach it. The outside monitor raises an alarm meanwhile.',
  },
  disk: {
    group: 'Machines',
    title: 'Free disk space',
    unit: '%',
    limits: below(30, 15),
    fix: 'Delete what is not needed, shorten the retention in Configuration, or enlarge the disk.',
  },
  inodes: {
    group: 'Machines',
    title: 'Free inodes',
    unit: '%',
    limits: below(30, 15),
    fix: 'Find the folder with very many small files: df -i, then du --inodes.',
  },
  mail_disk: {
    group: 'Machines',
    title: 'Free disk space for mail',
    unit: '%',
    limits: below(30, 15),
    fix: 'Enlarge the disk of the mail server’s DATA_DIR, or make room on it. Postfix refuses all mail while less than 1.5 times MESSAGE_SIZE_MB is free.',
  },
  mail_inodes: {
    group: 'Machines',
    title: 'Free inodes for mail',
    unit: '%',
    limits: below(30, 15),
    fix: 'Each message in a mailbox takes one. Move DATA_DIR of the mail server to a file system with more inodes.',
  },
  memory: {
    group: 'Machines',
    title: 'Available memory',
    unit: '%',
    limits: below(10, 4),
    fix: 'Find what uses it, or add memory.',
  },
  clock: {
    group: 'Machines',
    title: 'Clock difference to the database',
    unit: 's',
    limits: above(2, 30),
    fix: 'Synchronize the clock of this host and of the database server: timedatectl set-ntp true.',
  },
  instances: {
    group: 'Instances',
    title: 'Instances without heartbeats',
    unit: 'instances',
    limits: above(0, null),
    fix: 'Start it again, or remove it under System → Nodes if it will not come back.',
  },
  versions: {
    group: 'Instances',
    title: 'Versions running at the same time',
    unit: 'versions',
    limits: above(1, null),
    fix: 'Finish the upgrade: restart the instances and agents that run the earlier version.',
  },
} satisfies Record<string, CheckEntry>;

export type CheckName = keyof typeof CHECKS;

export const HEALTH_CHECKS: Record<CheckName, CheckEntry> = CHECKS;
