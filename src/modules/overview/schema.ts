import { z } from 'zod';
import { Id, Timestamp } from '@/lib/wire';
import { AnalyticsFigures, AnalyticsPoint } from '@/modules/analytics/schema';
import { BrokenDns } from '@/modules/domains/schema';
import { MessageSummary } from '@/modules/messages/schema';

export const GetOverview = z.strictObject({ domain_id: Id.optional() });
export type GetOverview = z.infer<typeof GetOverview>;

/** The console's overview: figures since the quarter of an hour that began 24 hours ago, and the setup checklist. */
export const Overview = z.object({
  since: Timestamp,
  until: Timestamp,
  totals: AnalyticsFigures,
  /** Of the day before. */
  previous: AnalyticsFigures,
  /** By hour. */
  series: z.array(AnalyticsPoint),
  checklist: z.object({
    has_domain: z.boolean(),
    has_mailbox: z.boolean(),
    has_api_key: z.boolean(),
    has_sent: z.boolean(),
    /** Of the selected domain, or the one that was added last. */
    dns: z.object({ domain_id: Id, domain: z.string(), is_checked: z.boolean(), broken: z.number().int() }).nullable(),
  }),
  broken_dns: z.array(BrokenDns),
  mta: z.object({ kind: z.enum(['sandbox', 'smtp', 'off']), agent: z.enum(['none', 'attached', 'silent']) }),
  failing_webhooks: z.number().int(),
  latest: z.array(MessageSummary),
});
export type Overview = z.infer<typeof Overview>;
