import type { RecordType, Resolver } from '@/server/dns/resolver';
import type { Domain } from '../../schema';
import type { DnsPurpose, DnsRecord, DnsRecordStatus, DnsSeverity } from '../schema';

/** What a domain should publish depends on. */
export type DomainFacts = {
  name: string;
  /** The mail server's host name. */
  mailHost: string;
  /** The host name of `APP_URL`, where this app serves what domains publish. */
  appHost: string;
  mtaStsMode: Domain['mta_sts_mode'];
  dkimKeys: readonly { selector: string; status: 'pending' | 'active' | 'retired'; value: string }[];
  ownershipToken: string;
};

export type Verdict = { status: DnsRecordStatus; severity: DnsSeverity; message: string; fix: string | null };

/** What a check looks at beside DNS. Absent ones are left out of the check. */
export type Probes = {
  /** Fetches a short text over verified https. */
  fetchText?: (url: string) => Promise<{ text: string } | { failure: string }>;
};

/** A record that a domain should publish, and how to judge what is found. */
export type ExpectedRecord = {
  purpose: DnsPurpose;
  type: DnsRecord['type'];
  /** The type to look up where there is none of `type`. */
  orElse?: RecordType;
  name: string;
  expected: string | null;
  required: boolean;
  /** Of the values of that name and type, those that concern the purpose. All by default. */
  concerns?: (value: string) => boolean;
  /** Judges values that concern the purpose. There is at least one. */
  judge: (values: string[], resolver: Resolver, probes: Probes) => Verdict | Promise<Verdict>;
  missing: { severity: DnsSeverity; message: string };
};

export function ok(message: string): Verdict {
  return { status: 'ok', severity: 'ok', message, fix: null };
}

export function mismatch(severity: 'error' | 'warning', message: string, fix: string): Verdict {
  return { status: 'mismatch', severity, message, fix };
}

export function multiple(count: number, what: string): Verdict {
  return {
    status: 'multiple',
    severity: 'error',
    message: `There are ${count} ${what} records, so receiving servers ignore all of them.`,
    fix: `Keep one ${what} record.`,
  };
}

/** The tags of a record such as `v=DKIM1; k=rsa; p=…`, by lower-case name. Null if it has no such form. */
export function tagsOf(text: string): Map<string, string> | null {
  const tags = new Map<string, string>();
  for (const part of text.split(';')) {
    if (part.trim() === '') continue;
    const [name = '', ...rest] = part.split('=');
    const key = name.trim().toLowerCase();
    if (rest.length === 0 || !/^[a-z][a-z0-9_]*$/.test(key) || tags.has(key)) return null;
    tags.set(key, rest.join('=').trim());
  }
  return tags;
}

/** Of a lookup that is not judged by itself: its values, empty if there are none or no answer. */
export async function valuesOf(resolver: Resolver, name: string, type: RecordType): Promise<string[]> {
  return (await resolver.lookup(name, type)).values;
}
