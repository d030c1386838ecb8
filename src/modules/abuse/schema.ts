import { z } from 'zod';
import { Id, Timestamp, wholeNumber } from '@/lib/wire';

export const AbuseSummary = z
  .object({
    suspended_mailboxes: z.number().int().meta({ description: 'By an hourly limit or manually' }),
    open_alerts: z.number().int(),
    sent_last_hour: z.number().int().meta({ description: 'Messages submitted or sent, excluding rejected ones' }),
    sent_last_24h: z.number().int(),
    limited_last_24h: z.number().int().meta({ description: 'Messages rejected by an hourly limit' }),
  })
  .meta({ id: 'AbuseSummary' });
export type AbuseSummary = z.infer<typeof AbuseSummary>;

export const AbuseSender = z
  .object({
    address: z.string().meta({ description: 'Lower case' }),
    domain_id: Id,
    mailbox_id: Id.nullable(),
    sent_last_hour: z.number().int(),
    sent_last_24h: z.number().int(),
    limit: z.number().int().meta({ description: 'Messages per hour' }),
    active: z.boolean().nullable().meta({ description: 'The state of the mailbox. null: no mailbox' }),
    suspended: z.boolean(),
  })
  .meta({ id: 'AbuseSender' });
export type AbuseSender = z.infer<typeof AbuseSender>;

export const AbuseSenderFilters = z.strictObject({
  domain_id: Id.optional(),
});

const Hourly = wholeNumber(1, 1_000_000_000, 'messages per hour');
const FACTOR_ERROR = 'Enter a number from 1 to 1,000.';

const thresholds = {
  mailbox_hourly: Hourly.meta({ description: 'Messages per hour from one address' }),
  domain_hourly: Hourly.meta({
    description: 'Messages per hour from one domain; a domain’s own limit takes precedence',
  }),
  spike_factor: z
    .number({ error: FACTOR_ERROR })
    .min(1, FACTOR_ERROR)
    .max(1000, FACTOR_ERROR)
    .meta({ description: 'An alert is raised above this multiple of the usual hourly volume' }),
};

export const AbuseThresholds = z.object({ ...thresholds, updated_at: Timestamp }).meta({ id: 'AbuseThresholds' });
export type AbuseThresholds = z.infer<typeof AbuseThresholds>;

export const UpdateAbuseThresholds = z.strictObject(z.object(thresholds).partial().shape);
export type UpdateAbuseThresholds = z.infer<typeof UpdateAbuseThresholds>;
