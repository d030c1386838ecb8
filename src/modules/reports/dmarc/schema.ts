import { z } from 'zod';
import { DMARC_POLICIES } from '@/lib/mail/dmarc';
import { Id, Timestamp } from '@/lib/wire';
import { Count, DroppedReports, LeftOut, ReportPeriod, reportArrival, uploadedReport } from '../schema';

const DmarcPolicy = z.enum(DMARC_POLICIES);

const DmarcDisposition = z.enum(DMARC_POLICIES).meta({
  description: 'What the receiving server did with the mail',
});

const PublishedPolicy = z
  .object({
    record: z.string().nullable().meta({ description: 'The TXT record that the last DNS check found' }),
    inherited_from: z.string().nullable().meta({
      description:
        'The domain above that publishes the record, if the domain has none itself. `p` is what holds for the domain',
    }),
    p: DmarcPolicy.nullable(),
    sp: DmarcPolicy.nullable().meta({ description: 'Policy for subdomains' }),
    np: DmarcPolicy.nullable().meta({ description: 'Policy for subdomains that don’t exist' }),
    rua: z.array(z.string()).meta({ description: 'Where reports go' }),
    reports_to_us: z.boolean().meta({ description: 'Whether reports go to an address that is read here' }),
  })
  .meta({ id: 'DmarcPublishedPolicy' });
export type PublishedPolicy = z.infer<typeof PublishedPolicy>;

const DmarcTotals = z.object({
  reports: Count,
  organisations: Count.meta({ description: 'Organisations that sent reports' }),
  messages: Count,
  aligned: Count.meta({ description: 'Messages that passed DMARC: by DKIM, SPF or both' }),
  dkim_aligned: Count,
  spf_aligned: Count,
  failed: Count,
  unknown: Count.meta({ description: 'Messages of which the reports don’t say whether they passed; not in `failed`' }),
  quarantined: Count,
  rejected: Count,
});
export type DmarcTotals = z.infer<typeof DmarcTotals>;

const SOURCE_ADVICE = ['keep', 'fix', 'block'] as const;

const DmarcSource = z
  .object({
    ip: z.string(),
    hostname: z.string().nullable().meta({ description: 'Looked up soon after the first report; null: none' }),
    organisation: z.string().nullable().meta({ description: 'Domain that the host name belongs to' }),
    is_ours: z.boolean().meta({ description: 'An address of the mail server, or named in the SPF record' }),
    advice: z.enum(SOURCE_ADVICE).meta({
      description:
        'keep: its mail passes; fix: it sends for you, but some of its mail fails; block: none of its mail passes, a stricter policy stops it',
    }),
    reason: z.string(),
    messages: Count,
    aligned: Count,
    dkim_aligned: Count,
    spf_aligned: Count,
    unknown: Count,
    disposition: z.object({ none: Count, quarantine: Count, reject: Count }),
    dkim_domains: z.array(z.string()).meta({ description: 'Domains whose DKIM signature passed, aligned or not' }),
    spf_domains: z.array(z.string()).meta({ description: 'Domains whose SPF check passed, aligned or not' }),
    first_seen: Timestamp.meta({ description: 'Start of the first report in the period that has it' }),
    last_seen: Timestamp.meta({ description: 'End of the last report in the period that has it' }),
  })
  .meta({ id: 'DmarcSource' });
export type DmarcSource = z.infer<typeof DmarcSource>;

const StricterPolicy = z.object({
  messages: Count.meta({
    description: 'Messages that the policy would have affected and that the policy then did not',
  }),
  legitimate_messages: Count.meta({ description: 'Those of them from sources that are yours or pass at times' }),
  sources: z.array(z.string()).meta({ description: 'IP addresses of these sources, most messages first, at most 200' }),
});

const DmarcRecommendation = z
  .object({
    policy: DmarcPolicy,
    record: z.string().meta({ description: 'TXT record to publish at `_dmarc`' }),
    reason: z.string(),
    evidence: z.array(z.string()),
  })
  .meta({ id: 'DmarcRecommendation', description: 'The next step, from the reports of the last 30 days' });
export type DmarcRecommendation = z.infer<typeof DmarcRecommendation>;

export const DomainDmarc = z
  .object({
    period: ReportPeriod,
    start: Timestamp,
    end: Timestamp,
    policy: PublishedPolicy,
    totals: DmarcTotals,
    sources: z.array(DmarcSource).meta({ description: 'Most messages first, at most 200' }),
    sources_total: Count,
    series: z.array(
      z.object({ at: Timestamp.meta({ description: 'Start of a UTC day' }), aligned: Count, failed: Count }),
    ),
    simulation: z.object({ quarantine: StricterPolicy, reject: StricterPolicy }),
    recommendation: DmarcRecommendation,
    dropped: DroppedReports,
  })
  .meta({ id: 'DomainDmarc' });
export type DomainDmarc = z.infer<typeof DomainDmarc>;

const summary = {
  id: Id,
  domain_id: Id,
  organisation: z.string().meta({ description: 'As the report names its sender' }),
  email: z.string(),
  report_id: z.string().meta({ description: 'The sender’s ID of the report' }),
  begin: Timestamp,
  end: Timestamp,
  messages: Count,
  aligned: Count,
  failed: Count,
  unknown: Count,
  ...reportArrival,
};

export const DmarcReportSummary = z.object(summary).meta({ id: 'DmarcReportSummary' });
export type DmarcReportSummary = z.infer<typeof DmarcReportSummary>;

export const DmarcReportRow = z
  .object({
    ip: z.string(),
    messages: Count,
    disposition: DmarcDisposition,
    dkim_aligned: z.boolean().nullable().meta({ description: 'null: the report doesn’t say' }),
    spf_aligned: z.boolean().nullable().meta({ description: 'null: the report doesn’t say' }),
    header_from: z.string(),
    envelope_from: z.string().nullable(),
    envelope_to: z.string().nullable(),
    dkim: z.array(z.object({ domain: z.string(), selector: z.string().nullable(), result: z.string() })),
    spf: z.array(z.object({ domain: z.string(), result: z.string() })),
    reasons: z.array(z.object({ type: z.string(), comment: z.string().nullable() })).meta({
      description: 'Why the receiving server did something else than the policy says',
    }),
  })
  .meta({ id: 'DmarcReportRow' });
export type DmarcReportRow = z.infer<typeof DmarcReportRow>;

export const DmarcReport = z
  .object({
    ...summary,
    policy: z
      .object({
        domain: z.string(),
        p: z.string().nullable(),
        sp: z.string().nullable(),
        np: z.string().nullable(),
        adkim: z.string().nullable(),
        aspf: z.string().nullable(),
        pct: z.string().nullable(),
        fo: z.string().nullable(),
        testing: z.string().nullable(),
        discovery_method: z.string().nullable(),
      })
      .meta({ description: 'The policy as the receiving server found it' }),
    errors: z.array(z.string()).meta({ description: 'Errors that the receiving server mentions' }),
    rows_total: Count,
    left_out: LeftOut,
    truncated: z.boolean().meta({ description: 'Whether the report had more rows than are stored' }),
    rows: z.array(DmarcReportRow).meta({ description: 'Most messages first, at most 1,000' }),
  })
  .meta({ id: 'DmarcReport' });
export type DmarcReport = z.infer<typeof DmarcReport>;

export const UploadedDmarcReport = uploadedReport(DmarcReportSummary).meta({ id: 'UploadedDmarcReport' });
export type UploadedDmarcReport = z.infer<typeof UploadedDmarcReport>;
