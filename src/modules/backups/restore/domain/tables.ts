/** A table with rows of a domain, in the order in which rows may be added. */
export type DomainTable = {
  name: string;
  /** Condition of the rows that belong to domain $1, of the database and of an archive alike. */
  ofDomain: string;
  /** Condition of those that stay although the archive does not have them. */
  kept?: string;
  /** Columns that are not compared or taken from the archive, and what they get. */
  set?: Record<string, string>;
  /** Run before rows are changed, so that no two of them are unique together meanwhile. */
  park?: string;
};

export const DOMAIN_TABLES: readonly DomainTable[] = [
  {
    name: 'domain',
    ofDomain: 'id = $1',
    // Its report mailbox is set at the end, because each refers to the other. Its DNS is checked soon.
    set: { report_mailbox_id: 'NULL', next_dns_check_at: 'now()' },
  },
  { name: 'mailbox', ofDomain: 'domain_id = $1' },
  { name: 'alias', ofDomain: 'domain_id = $1' },
  {
    name: 'dkim_key',
    ofDomain: 'domain_id = $1',
    park: "UPDATE dkim_key SET status = 'retired' WHERE domain_id = $1 AND status <> 'retired'",
  },
  {
    name: 'sieve_filter',
    ofDomain: 'domain_id = $1 OR mailbox_id IN (SELECT id FROM mailbox WHERE domain_id = $1)',
  },
  // Newer suppressions stay: that an address gets no mail is not undone with the settings of a domain.
  {
    name: 'suppression',
    ofDomain: 'domain_id = $1',
    kept: `(email, reason, coalesce(list, '')) NOT IN (SELECT email, reason, coalesce(list, '') FROM restored_suppression)`,
  },
  { name: 'webhook', ofDomain: 'domain_id = $1' },
  {
    name: 'template',
    ofDomain: 'domain_id = $1',
    park: 'UPDATE template SET name = id::text WHERE domain_id = $1',
  },
  { name: 'template_version', ofDomain: 'template_id IN (SELECT id FROM template WHERE domain_id = $1)' },
  // Keys that cover other domains too are left out (`leaveOut`). Positions in the log of the database of that time don't apply.
  {
    name: 'api_key',
    ofDomain: 'scoped_domain_ids = ARRAY[$1::uuid]',
    kept: 'id IN (SELECT id FROM restored_shared_key)',
    set: { written_to: 'NULL' },
  },
  { name: 'admin_domain', ofDomain: 'domain_id = $1' },
];

/** Staged to name the admins that are gone. */
export const ADMINS = 'admin';

export function stagedName(table: string): string {
  return `restored_${table}`;
}
