import { z } from 'zod';
import { DNS_STATE_PROBLEMS, DNS_STATE_PURPOSES } from '@/lib/mail/dns-purposes';
import { Id, plainText, Timestamp } from '@/lib/wire';
import { DnsSeverity } from '../dns/schema';
import { DnsRecordStatus, Domain, DomainFilters } from '../schema';

const Count = z.number().int();

const RecordState = z.object({
  status: DnsRecordStatus,
  severity: DnsSeverity.meta({ description: 'missing with ok or info: an optional record that isn’t published' }),
});

/** The state of a domain by the last check of its DNS and the reports of a week. */
export const DomainState = z
  .object({
    id: Id,
    name: z.string(),
    active: z.boolean(),
    dns_status: Domain.shape.dns_status,
    dmarc_policy: Domain.shape.dmarc_policy,
    mta_sts_mode: Domain.shape.mta_sts_mode,
    records: z.record(z.enum(DNS_STATE_PURPOSES), RecordState.nullable()).meta({
      description: 'By purpose, the most severe of its records. Null before the first check',
    }),
    checked_at: Timestamp.nullable(),
    answered_at: Timestamp.nullable().meta({
      description: 'When a DNS server last answered: before `checked_at` if the checks since then got no answers',
    }),
    dmarc_reports: z
      .object({ messages: Count, passed: Count, failed: Count })
      .nullable()
      .meta({
        description:
          'Messages of the last 7 days in DMARC reports; those of which the reports don’t say whether they passed are in neither. ' +
          'Null without reports',
      }),
    tls_reports: z
      .object({ sessions: Count, failed_sessions: Count })
      .nullable()
      .meta({ description: 'Sessions of the last 7 days in TLS reports. Null without reports' }),
  })
  .meta({ id: 'DomainState' });
export type DomainState = z.infer<typeof DomainState>;

export const DomainStateFilters = z.strictObject({
  active: z.boolean().optional(),
  dns_status: DomainFilters.shape.dns_status,
  dmarc_policy: DomainFilters.shape.dmarc_policy,
  problem: z.enum(DNS_STATE_PROBLEMS).optional().meta({
    description:
      'Domains with an error or a warning about records of this purpose, or with failures in the reports of 7 days',
  }),
  q: plainText(253).optional().meta({ description: 'Part of the name' }),
});
