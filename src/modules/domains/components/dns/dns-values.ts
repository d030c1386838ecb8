import type { Status } from '@/components/marks/status-mark';
import { DNS_PURPOSE_TEXTS } from '@/lib/mail/dns-purposes';
import type { DnsRecord } from '../../dns/schema';

const STATUS_LABELS: Record<DnsRecord['status'], string> = {
  ok: 'Found',
  missing: 'Missing',
  mismatch: 'Mismatch',
  multiple: 'Duplicate',
  insecure: 'Insecure',
  temporary_error: 'No answer',
  unchecked: 'Not checked',
};

export function recordKey({ purpose, type, name }: { purpose: string; type: string; name: string }): string {
  return `${purpose}-${type}-${name}`;
}

export function isProblem(record: DnsRecord): boolean {
  return record.severity === 'error' || record.severity === 'warning' || isSplit(record);
}

/** Whether the name servers that answer give different answers. */
export function isSplit({ authoritative }: DnsRecord): boolean {
  const [first, ...others] = authoritative.filter(({ status }) => status !== 'temporary_error');
  return first !== undefined && others.some(({ found }) => !isSameSet(found, first.found));
}

export function isSameSet(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && [...one].sort().join('\n') === [...other].sort().join('\n');
}

/** Whether the record is optional and not published, as far as is known. */
export function isUnset(record: DnsRecord): boolean {
  const { status, required, expected, found, purpose } = record;
  if (status === 'unchecked') return !required;
  // Without CAA records, for example, all is well.
  if (status === 'ok') return expected === null && found.length === 0 && !DNS_PURPOSE_TEXTS[purpose].isCheck;
  return status === 'missing' && !isProblem(record);
}

/** Whether it is one of those that set up mail programs, and as it should be: they are many, and tell nothing more than that. */
export function isQuietSrv(record: DnsRecord): boolean {
  return record.purpose === 'srv' && record.status === 'ok' && !isUnset(record) && !isProblem(record);
}

/** Whether publishing the expected value would help. */
export function isToPublish(record: DnsRecord): boolean {
  const { expected, status } = record;
  return expected !== null && status !== 'ok' && status !== 'temporary_error';
}

export function labelOf(record: DnsRecord): string {
  if (record.status === 'unchecked') return STATUS_LABELS.unchecked;
  if (isUnset(record)) return 'Not set';
  if (record.status === 'ok' && isSplit(record)) return 'Differs';
  if (record.status === 'ok' && record.inherited_from !== null) return 'Inherited';
  const isCheckOnly = DNS_PURPOSE_TEXTS[record.purpose].isCheck || record.found.length === 0;
  if (record.status === 'ok' && isCheckOnly) return 'Passed';
  return STATUS_LABELS[record.status];
}

export function statusLabel(status: DnsRecord['status']): string {
  return STATUS_LABELS[status];
}

export function markOf(record: DnsRecord): Status {
  const { severity, status } = record;
  if (status === 'ok' && !isUnset(record)) return isProblem(record) ? 'warning' : 'on';
  if (status === 'temporary_error') return 'deferred';
  if (status === 'unchecked') return 'pending';
  if (severity === 'error') return status === 'missing' ? 'failed' : 'bounced';
  return severity === 'warning' ? 'warning' : 'off';
}

/** The mark of a record of an inactive domain, which handles no mail. */
export function quietMarkOf(record: DnsRecord): Status {
  return isProblem(record) ? 'off' : markOf(record);
}

/** Problems first, the worst on top; then records that mail depends on, then the optional ones. */
export function sortRecords(records: readonly DnsRecord[]): DnsRecord[] {
  return [...records].sort((one, other) => rankOf(one) - rankOf(other));
}

function rankOf(record: DnsRecord): number {
  const { severity, required } = record;
  if (isUnset(record)) return 6;
  const rank = severity === 'error' ? 0 : isProblem(record) ? 2 : 4;
  return required ? rank : rank + 1;
}

/** A record's name as most DNS providers ask for it, such as `@` or `_dmarc`; PTR records by their IPv4 address. */
export function relativeName(name: string, domain: string): string {
  if (name === domain) return '@';
  const reversed = /^(\d+)\.(\d+)\.(\d+)\.(\d+)\.in-addr\.arpa$/.exec(name);
  if (reversed) return reversed.slice(1).reverse().join('.');
  return name.endsWith(`.${domain}`) ? name.slice(0, -domain.length - 1) : name;
}

const FIELD_LABELS: Record<string, string[]> = {
  MX: ['Priority', 'Mail server'],
  SRV: ['Priority', 'Weight', 'Port', 'Target'],
  CAA: ['Flags', 'Tag', 'Value'],
  TLSA: ['Usage', 'Selector', 'Matching type', 'Certificate'],
  CNAME: ['Target'],
  PTR: ['Host name'],
  A: ['IPv4 address'],
  AAAA: ['IPv6 address'],
};

/** A value in the fields that DNS providers have for its type. */
export function fieldsOf(type: string, value: string): { label: string; value: string }[] {
  const labels = FIELD_LABELS[type] ?? ['Value'];
  const words = value.split(' ');
  return labels.map((label, index) => {
    const isLast = index === labels.length - 1;
    return { label, value: (isLast ? words.slice(index) : words.slice(index, index + 1)).join(' ') };
  });
}
