/** The fields that the PATCH of each record sets, and so those that its version counts. */
export const EDITED_FIELDS = {
  abuse_threshold: ['mailbox_hourly', 'domain_hourly', 'spike_factor'],
  admin: ['role', 'password_changed_at', 'domain_ids'],
  alert: ['status'],
  alias: ['destination', 'active'],
  cluster_node: ['state'],
  domain: [
    'active',
    'description',
    'max_mailboxes',
    'max_aliases',
    'default_quota_bytes',
    'hourly_send_limit',
    'mta_sts_mode',
    'other_mx_hosts',
    'report_mailbox_id',
  ],
  mailbox: ['password_changed_at', 'display_name', 'quota_bytes', 'active'],
  message: ['send_at'],
  profile: ['time_zone'],
  saved_view: ['query'],
  sieve_filter: ['name', 'script', 'active', 'position'],
  template: ['name', 'subject', 'html_body', 'text_body', 'variables', 'sample_data'],
  webhook: ['url', 'events', 'name', 'active'],
} as const;

export type RecordKind = keyof typeof EDITED_FIELDS;

/** A record of a kind, as far as its version counts. */
export type Versioned<Kind extends RecordKind> = { [Field in (typeof EDITED_FIELDS)[Kind][number]]: unknown };

/**
 * Returns the version of a record, which changes with each edit and with nothing else. A record doesn't show its password, which
 * counts by the time of its last change. The order of a list doesn't count: all lists here are sets. Server and console
 * compute the version alike, so that the console has it for every row of a list.
 */
export function recordVersion<Kind extends RecordKind>(kind: Kind, record: Versioned<Kind>): string {
  const values: Record<string, unknown> = record;
  return digest(EDITED_FIELDS[kind].map((field) => asSet(values[field])));
}

/** The value, or the entries of a list in one order. */
export function asSet(value: unknown): unknown {
  return Array.isArray(value) ? value.toSorted() : value;
}

/**
 * Returns a short text that differs for values that differ. It protects nothing. Browsers have `crypto.subtle` with https only,
 * and not synchronously.
 */
export function digest(values: unknown): string {
  const text = JSON.stringify(values);
  // cyrb53 by bryc (public domain), with all of its 64 bits.
  let [one, two] = [0xdeadbeef, 0x41c6ce57];
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    one = Math.imul(one ^ code, 2654435761);
    two = Math.imul(two ^ code, 1597334677);
  }
  const first = Math.imul(one ^ (one >>> 16), 2246822507) ^ Math.imul(two ^ (two >>> 13), 3266489909);
  const second = Math.imul(two ^ (two >>> 16), 2246822507) ^ Math.imul(first ^ (first >>> 13), 3266489909);
  return [first, second].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
}

/** The entity tag of a version, for `ETag` and `If-Match`. */
export function entityTag(version: string): string {
  return `W/"${version}"`;
}
