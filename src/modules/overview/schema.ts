import { z } from 'zod';
import { OUTCOME_CAUSES } from '@/lib/mail/outcomes';
import type { RouteIcon } from '@/lib/routes';
import { Id, Timestamp } from '@/lib/wire';
import { Alert } from '@/modules/alerts/schema';
import { AnalyticsFigures, AnalyticsPoint } from '@/modules/analytics/schema';
import { DnsRecordStatus } from '@/modules/domains/schema';
import { MessageSummary } from '@/modules/messages/schema';

export const GetOverview = z.strictObject({ domain_id: Id.optional() });
export type GetOverview = z.infer<typeof GetOverview>;

/** The console's overview: figures since the quarter of an hour that began 24 hours ago, and the setup checklist. */
export const Overview = z.object({
  since: Timestamp,
  until: Timestamp,
  totals: AnalyticsFigures,
  /** The figures of the day before. */
  previous: AnalyticsFigures,
  /** Senders of many messages that bounced or failed, those of most first. */
  troubled_senders: z.array(
    z.object({
      sender: z.string(),
      bounced: z.number().int(),
      failed: z.number().int(),
      deferred: z.number().int(),
    }),
  ),
  /** Why messages failed, those of troubled senders apart. The cause is null if none is stored. */
  failures: z.array(
    z.object({
      sender: z.string().nullable(),
      cause: z.enum(OUTCOME_CAUSES).nullable(),
      count: z.number().int(),
    }),
  ),
  /** By hour. */
  series: z.array(AnalyticsPoint),
  checklist: z.object({
    has_domain: z.boolean(),
    has_mailbox: z.boolean(),
    has_api_key: z.boolean(),
    has_sent: z.boolean(),
    /** The DNS of the selected domain, or of the one that was added last. */
    dns: z.object({ domain_id: Id, domain: z.string(), is_checked: z.boolean(), broken: z.number().int() }).nullable(),
  }),
  mta: z.enum(['sandbox', 'smtp', 'off']),
  /** When the last message that a receiving server accepted was sent. */
  last_delivered_at: Timestamp.nullable(),
  latest: z.array(MessageSummary),
});
export type Overview = z.infer<typeof Overview>;

/** Pages of the console where something can need attention, most severe first. */
export const ATTENTION_SECTIONS = [
  'domains',
  'mailboxes',
  'webhooks',
  'api-keys',
  'queue',
  'health',
  'backups',
  'services',
  'alerts',
] as const satisfies readonly RouteIcon[];
export type AttentionSection = (typeof ATTENTION_SECTIONS)[number];

/** Sections with more are shown as having that many. */
export const MAX_ATTENTION_COUNT = 100;

const AttentionItem = z.object({
  section: z.enum(ATTENTION_SECTIONS),
  kind: z.enum([...Alert.shape.kind.options, 'mailbox_full', 'key_expiring', 'files_differ']),
  severity: Alert.shape.severity,
  /** ID of the domain, mailbox, webhook, API key or alert. */
  id: Id,
  /** Its name, address or subject. */
  subject: z.string(),
  reason: z.string(),
  /** State of the first broken record of a domain. */
  record_status: DnsRecordStatus.nullable(),
  /** Since when, where that is stored. */
  at: Timestamp.nullable(),
});
export type AttentionItem = z.infer<typeof AttentionItem>;

/** The items that need attention, for the overview and for the numbers in the navigation. */
export const Attention = z.object({
  /** Up to five of each section. */
  items: z.array(AttentionItem),
  /** Each object once, although an open alert may be about it too. */
  counts: z.partialRecord(z.enum(ATTENTION_SECTIONS), z.number().int()),
  /** How many of these are critical, and of the open alerts. */
  critical_counts: z.partialRecord(z.enum(ATTENTION_SECTIONS), z.number().int()),
  /** As many as the list of open alerts has. */
  open_alerts: z.number().int(),
  /** Whether alerts are open, and no email address and no webhook is set for alerts. */
  notifies_nobody: z.boolean(),
  /** How many of the mailboxes are suspended; the others are nearly full. */
  suspended_mailboxes: z.number().int(),
});
export type Attention = z.infer<typeof Attention>;
