import { z } from 'zod';
import { Id, plainText, Timestamp } from '@/lib/wire';

export const PERIODS = ['24h', '7d', '30d', '90d', 'custom'] as const;
export type AnalyticsPeriod = (typeof PERIODS)[number];

export const GRANULARITIES = ['15m', 'hour', 'day', 'week', 'month'] as const;
export type Granularity = (typeof GRANULARITIES)[number];

const DIMENSIONS = [
  'domain',
  'sender',
  'recipient_domain',
  'provider',
  'smtp_code',
  'category',
  'api_key',
  'tag',
] as const;
export type Dimension = (typeof DIMENSIONS)[number];

const text = z.string().max(100);

/** Checked by `rangeOf`, so that everything that is wrong with a period is INVALID_PERIOD. */
const periodFields = {
  period: text.default('24h').meta({
    enum: [...PERIODS],
    description:
      'The whole hours (24h) or days before the current one, and the current one. custom: from `start` to `end`',
  }),
  start: text.optional().meta({
    format: 'date-time',
    description: 'Of a custom period: ISO 8601, inclusive, rounded down to a quarter of an hour',
  }),
  end: text.optional().meta({
    format: 'date-time',
    description: 'Of a custom period: ISO 8601, exclusive, rounded up to a quarter of an hour; now if it is left out',
  }),
  granularity: text.optional().meta({
    enum: [...GRANULARITIES],
    description: 'Of `series`, at most 3,000 entries. By default, it depends on the length of the period',
  }),
  timezone: text.default('UTC').meta({
    description: 'Name of an IANA time zone, in which hours, days, weeks (from Monday) and months start',
    examples: ['Europe/Berlin'],
  }),
};

export const GetAnalytics = z.strictObject({
  ...periodFields,
  domain_id: Id.optional(),
  sender: plainText(254).min(1).optional().meta({
    description:
      'Counts the outbound messages of this address only. Counted by UTC hour, and without `delivery_seconds`',
  }),
  dimension: z.enum(DIMENSIONS).optional().meta({
    description:
      'Of `breakdown`. domain, sender, api_key and tag count messages, one with several tags under each, as `name:value`; recipient_domain, provider, smtp_code and category count recipients of outbound messages. All but domain are counted by UTC hour: hours that the period covers in part are counted as a whole',
  }),
  limit: z.number().int().min(1).max(100).default(10).meta({ description: 'Entries of `breakdown`, 1 to 100' }),
});
export type GetAnalytics = z.infer<typeof GetAnalytics>;

export const ExportAnalytics = GetAnalytics.extend({
  format: z.enum(['csv']).default('csv').meta({ description: 'With `dimension`: the breakdown, else the series' }),
});
export type ExportAnalytics = z.infer<typeof ExportAnalytics>;

const Count = z.number().int();
const Rate = z.number().nullable();

const counts = {
  sent: Count.meta({
    description: 'Outbound messages that your mail server accepted, whatever happened to them later',
  }),
  delivered: Count,
  bounced: Count.meta({ description: 'Outbound messages that a receiving server rejected permanently' }),
  deferred: Count.meta({
    description: 'Outbound messages that a receiving server deferred and your server will retry',
  }),
  failed: Count.meta({ description: 'Outbound messages that your mail server gave up, or never accepted' }),
  received: Count.meta({ description: 'Inbound messages that were delivered or forwarded' }),
  spam: Count.meta({ description: 'Inbound messages that the spam filter stopped' }),
  delivery_rate: Rate.meta({ description: 'delivered / sent; null if nothing was sent' }),
  bounce_rate: Rate.meta({ description: 'bounced / sent; null if nothing was sent' }),
};

const Seconds = z.number().nullable();

export const DeliverySeconds = z.object({ p50: Seconds, p95: Seconds, p99: Seconds }).meta({
  id: 'DeliverySeconds',
  description:
    'Seconds from the submission of a message until the receiving server of a recipient accepted it, within 2.5 %. Null if none did',
});
export type DeliverySeconds = z.infer<typeof DeliverySeconds>;

const figures = {
  ...counts,
  bounces: z
    .object({
      permanent: Count.meta({ description: 'As bounced' }),
      temporary: Count.meta({ description: 'As deferred' }),
    })
    .meta({ description: 'Messages that receiving servers rejected permanently, and for now' }),
  in_transit: Count.meta({ description: 'Outbound messages with the status sent: accepted, and without a result yet' }),
  rejected: Count.meta({ description: 'Failed outbound messages that your mail server never accepted' }),
  uncertain: Count.meta({
    description: 'Outbound messages of which it isn’t known whether your mail server accepted them',
  }),
  submitting: Count,
  undelivered: Count.meta({ description: 'Inbound messages that are deferred, bounced or failed' }),
  delivery_seconds: DeliverySeconds,
};

export const AnalyticsFigures = z.object(figures).meta({ id: 'AnalyticsFigures' });
export type AnalyticsFigures = z.infer<typeof AnalyticsFigures>;

export const AnalyticsPoint = z
  .object({ at: Timestamp, until: Timestamp.meta({ description: 'Start of the next entry' }), ...figures })
  .meta({ id: 'AnalyticsPoint' });
export type AnalyticsPoint = z.infer<typeof AnalyticsPoint>;

export const BreakdownEntry = z
  .object({
    value: z.string().nullable().meta({ description: 'Null: all values that aren’t listed' }),
    label: z
      .string()
      .nullable()
      .meta({ description: 'Name of the domain or API key, if it exists and you have access to it' }),
    ...counts,
  })
  .meta({ id: 'AnalyticsBreakdownEntry' });
export type BreakdownEntry = z.infer<typeof BreakdownEntry>;

const Suppressions = z.object({ bounce: Count, complaint: Count, unsubscribe: Count, manual: Count }).meta({
  id: 'AnalyticsSuppressions',
  description: 'Suppressions that were added in the period and hold still, by reason',
});
export type Suppressions = z.infer<typeof Suppressions>;

const OfDomains = Suppressions.nullable().meta({ description: 'Null with `sender`' });

export const Analytics = z
  .object({
    period: z.enum(PERIODS),
    start: Timestamp,
    end: Timestamp,
    granularity: z.enum(GRANULARITIES),
    timezone: z.string(),
    totals: AnalyticsFigures,
    suppressions: OfDomains,
    previous: z
      .object({ start: Timestamp, end: Timestamp, totals: AnalyticsFigures, suppressions: OfDomains })
      .meta({ description: 'The period of the same length before' }),
    series: z.array(AnalyticsPoint),
    dimension: z.enum(DIMENSIONS).nullable(),
    breakdown: z.array(BreakdownEntry).meta({ description: 'The largest first. Empty without `dimension`' }),
  })
  .meta({ id: 'Analytics' });
export type Analytics = z.infer<typeof Analytics>;
