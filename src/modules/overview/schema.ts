import { z } from 'zod';
import { Id, Timestamp } from '@/lib/wire';
import { MessageSummary, MessageTotals } from '@/modules/messages/schema';

export const GetOverview = z.strictObject({ domain_id: Id.optional() });
export type GetOverview = z.infer<typeof GetOverview>;

/** The console's overview: totals of the last 24 hours and the setup checklist. */
export const Overview = z.object({
  since: Timestamp,
  until: Timestamp,
  totals: MessageTotals,
  outbound: MessageTotals,
  checklist: z.object({ has_domain: z.boolean(), has_api_key: z.boolean(), has_sent: z.boolean() }),
  mta: z.object({ kind: z.enum(['sandbox', 'smtp', 'off']), agent: z.enum(['none', 'attached', 'silent']) }),
  failing_webhooks: z.number().int(),
  latest: z.array(MessageSummary),
});
export type Overview = z.infer<typeof Overview>;
