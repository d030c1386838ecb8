import { z } from 'zod';
import { isBase64 } from '@/lib/base64';
import { EnteredTimestamp, Id, plainText, Timestamp } from '@/lib/wire';

export const ReportPeriod = z.enum(['24h', '7d', '30d', '90d', 'custom']).meta({
  description:
    'Whole UTC days before today, and today, or custom: from `start` to `end`. Reports cover a day and arrive on the next one',
});
export type ReportPeriod = z.infer<typeof ReportPeriod>;

const Day = z.iso.date('Enter a date such as 2026-11-21.').meta({ examples: ['2026-11-21'] });

/** As long as reports can be kept. */
const MAX_DAYS = 3_650;
const DAY_MS = 24 * 60 * 60 * 1000;

const PeriodQuery = z.strictObject({
  id: Id,
  period: ReportPeriod.default('30d'),
  start: Day.optional().meta({ description: 'The first UTC day of a custom period' }),
  end: Day.optional().meta({ description: 'The last UTC day of a custom period; today if it is left out' }),
});

/** The period of a domain's results. */
export const GetDomainResults = PeriodQuery.refine(({ period, start }) => period !== 'custom' || start !== undefined, {
  path: ['start'],
  error: 'Enter the first day of the period.',
})
  .refine(({ period, start, end }) => period === 'custom' || (start === undefined && end === undefined), {
    path: ['period'],
    error: 'Only custom periods have a start and an end. Leave them out, or choose custom.',
  })
  .refine(({ start, end }) => start === undefined || end === undefined || start <= end, {
    path: ['end'],
    error: 'Enter a day that isn’t before the start.',
  })
  .refine(({ start }) => start === undefined || Date.parse(start) <= Date.now(), {
    path: ['start'],
    error: 'Enter a day that isn’t in the future.',
  })
  .refine(({ start }) => start === undefined || Date.now() - Date.parse(start) <= MAX_DAYS * DAY_MS, {
    path: ['start'],
    error: 'Enter a day of the last 3,650 days.',
  });
export type GetDomainResults = z.infer<typeof GetDomainResults>;

export const Count = z.number().int().min(0);

export const LeftOut = z
  .array(z.object({ reason: z.string(), count: Count }))
  .meta({ description: 'Parts that could not be read, and are not in the report as it is shown, by reason' });
export type LeftOut = z.infer<typeof LeftOut>;

const DROP_REASONS = [
  'too_large',
  'duplicate',
  'foreign_domain',
  'malformed',
  'unreadable',
  'out_of_range',
  'too_many',
  'error',
] as const;

const DropReason = z.enum(DROP_REASONS).meta({
  description:
    'too_large: over a size limit; duplicate: already stored; foreign_domain: about a domain that isn’t managed here; ' +
    'malformed: not a readable report; unreadable: mail to an address for reports in which no report was found; out_of_range: covers a time in the future, or longer ago than reports are kept; ' +
    'too_many: over a limit of reports per domain and day; error: storing it failed, and the log says why',
});
export type DropReason = z.infer<typeof DropReason>;

export const DroppedReports = z
  .array(
    z.object({
      reason: DropReason,
      count: Count.meta({ description: 'Since the domain was added' }),
      last_at: Timestamp,
    }),
  )
  .meta({
    description:
      'Reports that arrived at the domain’s addresses and were not stored, by reasons that occurred in the period',
  });
export type DroppedReports = z.infer<typeof DroppedReports>;

/** A body that fits into the limit of most endpoints. */
const MAX_BASE64_LENGTH = 1024 * 1024;
const FILE_ERROR = 'Enter the file in base64.';

export const UploadReport = z.strictObject({
  filename: z.string().max(255).optional().meta({ description: 'Shown nowhere; the content says what the file is' }),
  content: z
    .string({ error: FILE_ERROR })
    .min(1)
    .max(MAX_BASE64_LENGTH)
    .refine(isBase64, FILE_ERROR)
    .meta({
      description: 'The report in base64, as it was sent: plain, gzip or zip',
      examples: ['PGZlZWRiYWNrPi4uLjwvZmVlZGJhY2s+'],
    }),
});
export type UploadReport = z.infer<typeof UploadReport>;

const UploadStatus = z.enum(['stored', 'duplicate', 'rejected']).meta({
  description: 'duplicate: it was stored before; rejected: it is valid, but `reason` says why it can’t be stored',
});

/** Returns the outcome of an upload, with the stored report. */
export function uploadedReport<Summary extends z.ZodType>(summary: Summary) {
  return z.object({ status: UploadStatus, reason: DropReason.optional(), report: summary.optional() });
}

/** The input of both lists of reports. */
export const ReportFilters = z.strictObject({
  domain_id: Id.optional(),
  organisation: plainText(255).min(1).optional(),
  since: EnteredTimestamp.optional().meta({ description: 'Reports that begin then or later' }),
  until: EnteredTimestamp.optional().meta({ description: 'Reports that begin earlier' }),
});
export type ReportFilters = z.infer<typeof ReportFilters>;

/** Where a stored report came from. */
const ReportSource = z.enum(['mail', 'upload']);

const ReportSender = z
  .object({
    domain: z.string().nullable().meta({ description: 'The sender’s organization' }),
    authenticated: z.boolean().meta({ description: 'Whether DKIM or SPF of the mail confirm it' }),
  })
  .nullable()
  .meta({ description: 'Who sent the report by mail. null: it was uploaded, or arrived before this was stored' });
export type ReportSender = z.infer<typeof ReportSender>;

/** Fields that say how and when a report arrived. */
export const reportArrival = {
  source: ReportSource,
  sender: ReportSender,
  days: Count.meta({ description: 'UTC days that the report covers. Its figures count on the one in the middle' }),
  received_at: Timestamp,
};
