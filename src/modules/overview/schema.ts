import { z } from 'zod';
import { Id, Timestamp } from '@/lib/wire';
import { BrokenDns } from '@/modules/domains/schema';
import { MessageSummary, MessageTotals } from '@/modules/messages/schema';

export const GetOverview = z.strictObject({ domain_id: Id.optional() });
export type GetOverview = z.infer<typeof GetOverview>;

/** The console's overview: totals of the last 24 hours and the setup checklist. */
export const Overview = z.object({
  since: Timestamp,
  until: Timestamp,
  totals: MessageTotals,
  outbound: MessageTotals,
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
