import { z } from 'zod';
import { AUDIT_KINDS } from '@/lib/texts/audit-kinds';
import { Id, plainText, RANGE_FILTERS, Timestamp } from '@/lib/wire';

const OUTCOMES = ['success', 'denied', 'error'] as const;

export const AuditEntry = z
  .object({
    id: Id,
    admin_id: Id.nullable().meta({ description: 'Null if the admin was deleted, or nobody was signed in' }),
    admin_email: z.string().nullable().meta({ description: 'The address at that time' }),
    api_key_id: Id.nullable(),
    api_key_name: z.string().nullable().meta({
      description:
        'Its current name; null without a key, once it is revoked, and for domain admins and scoped keys, who get no names of keys',
    }),
    action: z.string().meta({ examples: ['alias.update'] }),
    resource: z.string().meta({ examples: ['alias:019ac000-0000-7000-8000-000000000000'] }),
    resource_name: z.string().nullable().meta({
      description: 'As the entry recorded it, such as an address, or else its current name; null if it has none',
    }),
    domain_id: Id.nullable(),
    ip_address: z.string(),
    user_agent: z.string(),
    request_id: Id,
    outcome: z.enum(OUTCOMES),
    details: z.record(z.string(), z.unknown()).meta({
      description:
        '`before` and `after` of the change, and other details; `source` is `command_line` for `npm run admin`. ' +
        '`further_attempts` counts the denied attempts, such as failed sign-ins, that this entry stands for, from `first_at` to `last_at`. Never contains secrets',
    }),
    names: z.record(z.string(), z.string()).meta({
      description: 'Current names, by id, of the domains and mailboxes that fields of `before` and `after` refer to',
    }),
    created_at: Timestamp,
    hash: z.string().nullable().meta({ description: 'Hex SHA-256; null until sealed' }),
    prev_hash: z.string().nullable(),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.infer<typeof AuditEntry>;

const exact = plainText(500).min(1).optional();

export const AuditFilters = z.strictObject({
  q: plainText(254).min(1).optional().meta({
    description:
      'Words that all match: each is a resource, the start of a request ID, or else a part of an admin’s address, an action, a name, a domain or an IP address. A search for a common part reads 2,500 entries per page, so a page can have fewer matches than limit, or none, while has_more is true',
  }),
  admin_id: Id.optional(),
  admin_email: exact,
  api_key_id: Id.optional(),
  action: exact.meta({ description: 'For example `alias.update`' }),
  kind: z.enum(AUDIT_KINDS).optional().meta({ description: 'All actions that begin with it, such as `alias`' }),
  resource: exact.meta({ description: 'For example `alias:<uuid>`' }),
  domain_id: Id.optional(),
  ip_address: exact,
  request_id: Id.optional(),
  outcome: z.enum(OUTCOMES).optional(),
  changes_only: z.boolean().optional().meta({
    description:
      'Only changes that were made: leaves out refusals, failures and dry runs, and what changes no record, such as sign-ins, checks, tests and downloads. With `resource`, the history of a record. A page can have fewer entries than limit while has_more is true',
  }),
  ...RANGE_FILTERS,
});

export const VerifyAudit = z.strictObject({
  full: z.boolean().default(false).meta({ description: 'Reads all entries again, not only those since the last time' }),
});
export type VerifyAudit = z.infer<typeof VerifyAudit>;

export const AuditVerification = z
  .object({
    valid: z.boolean(),
    entries: z.number().int(),
    sealed: z.number().int(),
    archived: z.number().int().meta({ description: 'Entries before these, in archive files' }),
    unsealed: z.number().int().meta({ description: 'Recent entries that are not in the chain yet' }),
    checked: z.number().int().meta({
      description: 'Sealed entries that were read. The others were read by an earlier verification',
    }),
    first_bad_id: Id.nullable().meta({
      description: 'Null if the log is valid, or if entries are missing from the end',
    }),
    untimely_entries: z
      .number()
      .int()
      .meta({
        description:
          'Entries that were read whose time is not that of their place: sealed more than 10 minutes after it although the log ' +
          'was being sealed, or out of order',
      }),
    untimely_ids: z.array(Id).meta({ description: 'The first 100 of them' }),
    known_since_entry: z.number().int().nullable().meta({
      description:
        'The number of entries that the log had when this instance began to keep its end in DATA_DIR; null if it keeps none',
    }),
    message: z.string(),
  })
  .meta({ id: 'AuditVerification' });
export type AuditVerification = z.infer<typeof AuditVerification>;
