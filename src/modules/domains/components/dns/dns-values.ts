import type { Status } from '@/components/marks/status-mark';
import type { DnsPurpose, DnsRecord } from '../../dns/schema';
import type { DnsRecordStatus } from '../../schema';

type Purpose = {
  label: string;
  /** What the record is for, in a few words. */
  does: string;
  /** What happens while it is missing or wrong. */
  why: string;
  /** It is a check rather than a record, so it passes instead of being found. */
  isCheck?: boolean;
};

export const PURPOSES: Record<DnsPurpose, Purpose> = {
  mx: {
    label: 'MX',
    does: 'Brings mail here',
    why: 'Other servers deliver mail for the domain to the server that this record names.',
  },
  spf: {
    label: 'SPF',
    does: 'Lets this server send',
    why: 'Receiving servers compare the sending address with this record. Mail that fails is rejected or filed as spam.',
  },
  dkim: {
    label: 'DKIM',
    does: 'Verifies your signatures',
    why: 'Receiving servers verify the signature of each message with this key. Mail that fails is rejected or filed as spam.',
  },
  dmarc: {
    label: 'DMARC',
    does: 'Policy for forged mail',
    why: 'It tells receiving servers what to do with mail that claims to be from the domain but isn’t. Large providers require it.',
  },
  mta_sts: {
    label: 'MTA-STS',
    does: 'Requires TLS inbound',
    why: 'Other servers then deliver mail to you over verified TLS only, so that nobody on the way can read it.',
  },
  tls_rpt: {
    label: 'TLS reports',
    does: 'Reports TLS failures',
    why: 'Other servers then report when they couldn’t deliver to you over TLS.',
  },
  starttls: {
    label: 'TLS on port 25',
    does: 'Encrypts inbound mail',
    why: 'Without a valid certificate, other servers can’t verify that they deliver to your server.',
    isCheck: true,
  },
  dane: {
    label: 'DANE',
    does: 'Pins the certificate',
    why: 'Servers that support DANE refuse to deliver if the record doesn’t match the certificate.',
  },
  dnssec: {
    label: 'DNSSEC',
    does: 'Signs the zone',
    why: 'Signed answers can’t be forged on the way. DANE needs it.',
    isCheck: true,
  },
  caa: {
    label: 'CAA',
    does: 'Limits who certifies',
    why: 'Only the certificate authorities in this record may issue certificates for the name.',
  },
  ns: {
    label: 'Name servers',
    does: 'Answer for the domain',
    why: 'If they answer differently, or not at all, mail works for some senders only.',
    isCheck: true,
  },
  autoconfig: {
    label: 'Autoconfig',
    does: 'Sets up Thunderbird',
    why: 'Thunderbird then finds the servers and ports by itself.',
  },
  autodiscover: {
    label: 'Autodiscover',
    does: 'Sets up Outlook',
    why: 'Outlook then finds the servers and ports by itself.',
  },
  blocklist: {
    label: 'Blocklists',
    does: 'Lists of spam sources',
    why: 'Many servers reject mail from addresses and domains on these lists.',
    isCheck: true,
  },
  host: {
    label: 'Host address',
    does: 'Address of this server',
    why: 'Nobody reaches the mail server without it.',
  },
  ptr: {
    label: 'Reverse DNS',
    does: 'Names this server',
    why: 'Many servers reject mail from an address without a matching name. It is set at the provider of the server.',
  },
  srv: {
    label: 'SRV',
    does: 'Sets up mail apps',
    why: 'Mail apps then find the servers and ports by themselves.',
  },
  ownership: {
    label: 'Ownership',
    does: 'Proves it is yours',
    why: 'Mail works without it.',
  },
};

const STATUS_LABELS: Record<DnsRecordStatus, string> = {
  ok: 'Found',
  missing: 'Missing',
  mismatch: 'Mismatch',
  multiple: 'Duplicate',
  insecure: 'Insecure',
  temporary_error: 'No answer',
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

/** Whether the record is optional and not published. */
export function isUnset(record: DnsRecord): boolean {
  return record.status === 'missing' && !isProblem(record);
}

/** Whether publishing the expected value would help. */
export function isToPublish(record: DnsRecord): boolean {
  const { expected, status } = record;
  return expected !== null && status !== 'ok' && status !== 'temporary_error';
}

export function labelOf(record: DnsRecord): string {
  if (isUnset(record)) return 'Not set';
  if (record.status === 'ok' && isSplit(record)) return 'Differs';
  if (record.status === 'ok' && record.inherited_from !== null) return 'Inherited';
  const isCheckOnly = PURPOSES[record.purpose].isCheck || record.found.length === 0;
  if (record.status === 'ok' && isCheckOnly) return 'Passed';
  return STATUS_LABELS[record.status];
}

export function statusLabel(status: DnsRecordStatus): string {
  return STATUS_LABELS[status];
}

export function markOf(record: DnsRecord): Status {
  const { severity, status } = record;
  if (status === 'ok') return isProblem(record) ? 'warning' : 'on';
  if (status === 'temporary_error') return 'deferred';
  if (severity === 'error') return status === 'missing' ? 'failed' : 'bounced';
  return severity === 'warning' ? 'warning' : 'off';
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
