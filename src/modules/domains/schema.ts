import { z } from 'zod';
import { normalizeDomainName } from '@/lib/mail/address';
import { DMARC_POLICIES } from '@/lib/mail/dmarc';
import { DNS_PURPOSES } from '@/lib/mail/dns-purposes';
import { Id, plainText, QuotaBytes, Timestamp, wholeNumber } from '@/lib/wire';

const MAX_COUNT = 1_000_000_000;
const NAME_ERROR = 'Enter a domain name such as example.com.';

const DomainName = z
  .string()
  .min(1, NAME_ERROR)
  .max(253)
  .refine((name) => normalizeDomainName(name) !== null, NAME_ERROR)
  .meta({ description: 'Stored in lower case and IDNA-encoded', examples: ['example.com'] });

const MtaStsMode = z.enum(['none', 'testing', 'enforce']).meta({
  description:
    'What other servers do if they can’t deliver over verified TLS: none: deliver anyway; testing: deliver and report; enforce: wait or return the message',
});

const settings = {
  active: z.boolean().meta({ description: 'An inactive domain can’t send or receive mail' }),
  description: plainText(500),
  max_mailboxes: wholeNumber(0, MAX_COUNT, 'mailboxes').nullable().meta({ description: 'null: no limit' }),
  max_aliases: wholeNumber(0, MAX_COUNT, 'aliases').nullable().meta({ description: 'null: no limit' }),
  default_quota_bytes: QuotaBytes.nullable().meta({ description: 'Quota of new mailboxes. null: no storage limit' }),
  hourly_send_limit: wholeNumber(0, MAX_COUNT, 'messages per hour')
    .nullable()
    .meta({ description: 'Messages per hour. null: the server-wide limit' }),
  mta_sts_mode: MtaStsMode,
  other_mx_hosts: z
    .array(DomainName)
    .max(10, 'Enter at most 10 hosts.')
    .meta({
      description:
        'Hosts in MX records of the domain that are not this mail server and are meant to be there, such as a backup or a filter. ' +
        'The DNS check accepts them, and the MTA-STS policy names them',
    }),
  report_mailbox_id: Id.nullable().meta({
    description:
      'A mailbox of the domain in which DMARC and TLS reports arrive, besides dmarc-reports@ and tls-reports@',
  }),
};

export const DnsStatus = z.enum(['ok', 'warning', 'error', 'unchecked']);
const DmarcPolicy = z.enum([...DMARC_POLICIES, 'unknown']);

export const Domain = z
  .object({
    id: Id,
    name: z.string(),
    ...settings,
    description: z.string(),
    verified_at: Timestamp.nullable(),
    dns_status: DnsStatus,
    dmarc_policy: DmarcPolicy.nullable().meta({
      description:
        'As the last DNS check found it, also if a domain above has the record. unknown: it couldn’t be looked up. ' +
        'Null without a valid one, and before the first check',
    }),
    dkim_selector: z.string().nullable(),
    mailbox_count: z.number().int(),
    alias_count: z.number().int(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Domain' });
export type Domain = z.infer<typeof Domain>;

export const DnsPurpose = z.enum(DNS_PURPOSES).meta({
  description:
    'mx: brings mail to your mail server; spf: lets it send for the domain; dkim: verifies its signatures; dmarc: policy for forged mail; ' +
    'mta_sts, dane, starttls: TLS of mail to the domain; tls_rpt: reports about it; host, ptr: addresses and name of the mail server; ' +
    'dnssec, caa, ns: the zone itself; srv, autoconfig, autodiscover: set up mail programs; ' +
    'blocklist: lists of addresses and domains that send spam; ownership: proves that the domain is yours',
});

export const DnsRecordType = z.enum(['A', 'AAAA', 'CAA', 'CNAME', 'DS', 'MX', 'NS', 'PTR', 'SRV', 'TLSA', 'TXT']);

export const DnsRecordStatus = z.enum(['ok', 'missing', 'mismatch', 'multiple', 'insecure', 'temporary_error']);
export type DnsRecordStatus = z.infer<typeof DnsRecordStatus>;

/** A changed record, in the history of a domain's DNS and in events. */
export const dnsChangeFields = {
  purpose: DnsPurpose,
  type: DnsRecordType,
  name: z.string(),
  before: z.array(z.string()),
  after: z.array(z.string()),
  status: DnsRecordStatus.meta({ description: 'The record’s status after the change' }),
};

export const DomainFilters = z.strictObject({
  active: z.boolean().optional(),
  dns_status: DnsStatus.optional(),
  dmarc_policy: z
    .enum([...DmarcPolicy.options, 'missing'])
    .optional()
    .meta({ description: 'missing: a check found no valid policy' }),
  name: plainText(253).optional().meta({ description: 'The whole name, as it is or with A-labels' }),
  q: plainText(253).optional().meta({ description: 'Part of the name' }),
});

export const CreateDomain = z.strictObject({
  name: DomainName,
  ...z.object(settings).omit({ report_mailbox_id: true }).partial().shape,
});
export type CreateDomain = z.infer<typeof CreateDomain>;

export const UpdateDomain = z.strictObject({ id: Id, ...z.object(settings).partial().shape });
export type UpdateDomain = z.infer<typeof UpdateDomain>;
