import { z } from 'zod';
import { Id, Timestamp } from '@/lib/wire';
import { DnsPurpose, DnsRecordStatus, DnsRecordType, dnsChangeFields } from '../schema';

export const DnsSeverity = z.enum(['error', 'warning', 'info', 'ok']);
export type DnsSeverity = z.infer<typeof DnsSeverity>;

export const DnsRecord = z
  .object({
    purpose: DnsPurpose,
    type: DnsRecordType,
    name: z.string(),
    expected: z.string().nullable().meta({ description: 'The value to publish. null: it can’t be known from here' }),
    found: z.array(z.string()),
    inherited_from: z.string().nullable().meta({
      description:
        'The domain above that publishes `found`, which holds for this one. null: `found` is at `name` itself',
    }),
    status: z.enum([...DnsRecordStatus.options, 'unchecked']),
    severity: DnsSeverity,
    required: z.boolean().meta({ description: 'Whether mail depends on the record' }),
    message: z.string(),
    fix: z.string().nullable(),
    ttl: z.int().nullable().meta({ description: 'Seconds that resolvers keep what they found' }),
    authoritative: z
      .array(z.object({ server: z.string(), found: z.array(z.string()), status: DnsRecordStatus }))
      .meta({ description: 'What each name server of the domain answers; for `ns`, its version of the zone' }),
    changed_at: Timestamp.nullable().meta({
      description: 'When `found` or `status` last changed. null: not checked yet',
    }),
    checked_at: Timestamp.nullable(),
  })
  .meta({ id: 'DnsRecord' });
export type DnsRecord = z.infer<typeof DnsRecord>;

const RunningDnsCheck = z
  .object({
    started_at: Timestamp,
    total: z.int().meta({ description: 'Records to look up. 0: not known yet' }),
    records: z
      .array(DnsRecord.omit({ changed_at: true, checked_at: true }))
      .meta({ description: 'Those that have been looked up' }),
  })
  .meta({ id: 'RunningDnsCheck' });

export const DomainDns = z
  .object({
    status: z.enum(['ok', 'warning', 'error', 'unchecked']),
    checked_at: Timestamp.nullable(),
    records: z.array(DnsRecord),
    check: RunningDnsCheck.nullable().meta({ description: 'The check that is running. null: none' }),
  })
  .meta({ id: 'DomainDns' });
export type DomainDns = z.infer<typeof DomainDns>;

export const DnsChange = z
  .object({
    id: Id,
    ...dnsChangeFields,
    at: Timestamp.meta({ description: 'When a check found it' }),
  })
  .meta({ id: 'DnsChange' });
export type DnsChange = z.infer<typeof DnsChange>;

export const GetDnsZone = z.strictObject({
  id: Id,
  only: z.enum(['missing']).optional().meta({ description: 'Leaves out records that are published as expected' }),
});
export type GetDnsZone = z.infer<typeof GetDnsZone>;
