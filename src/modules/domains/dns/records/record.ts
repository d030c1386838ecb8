import { normalizeDomainName } from '@/lib/mail/address';
import type { DmarcPolicy } from '@/lib/mail/dmarc';
import type { Lookup, RecordType, Resolver } from '@/server/dns/resolver';
import type { DnsRecordStatus, Domain } from '../../schema';
import type { DnsRecord, DnsSeverity } from '../schema';

/** The facts that determine the records a domain should publish. */
export type DomainFacts = {
  name: string;
  /** The mail server's host name. */
  mailHost: string;
  /** The host name of `APP_URL`, where this app serves what domains publish. */
  appHost: string;
  mtaStsMode: Domain['mta_sts_mode'];
  /** MX hosts that are not this mail server and that the admin accepts, such as a backup or a filter. */
  otherMxHosts: readonly string[];
  dkimKeys: readonly { selector: string; status: 'pending' | 'active' | 'retired'; value: string }[];
  ownershipToken: string;
  /** The authority that issues this server's certificates, by its name in CAA records. */
  certificateIssuer: string;
  /** The name that SPF records include for the relay that mail leaves through; null without a relay. */
  relaySpf: string | null;
  /** The relay that the mail server sends through, as in RELAY_HOST, which the agent reports; null without one. */
  relayHost: string | null;
};

/** As many as are judged and stored, whatever somebody publishes. */
export const MAX_VALUES = 50;

type Answered = Exclude<Lookup, { status: 'temporary_error' }>;

/** Whether others can reach a host under its name, unlike `localhost` or an address. */
export function hasPublicName(host: string): boolean {
  return normalizeDomainName(host) !== null;
}

export type Verdict = { status: DnsRecordStatus; severity: DnsSeverity; message: string; fix: string | null };

/** The probes that a check uses beside DNS. Absent ones are left out of the check. */
export type Probes = {
  /** Fetches a short text over verified https. */
  fetchText?: (url: string) => Promise<{ text: string } | { failure: string }>;
  /** Starts TLS at port 25 of an address, as other servers do. */
  startTls?: (address: string, host: string, signal: AbortSignal) => Promise<TlsOffer>;
  /** The DNS names of lists of addresses and domains that send spam. */
  blocklists?: { addresses: readonly string[]; domains: readonly string[] };
};

/** The result of starting TLS with a mail server. */
export type TlsOffer =
  | {
      outcome: 'certificate';
      /** DER, the server's own certificate first. */
      chain: Buffer[];
      /** Null if the certificate has no valid date. */
      expiresAt: Date | null;
      /** Why other servers reject the certificate; null if they accept it. */
      problem: string | null;
    }
  /** The server answers, but not with TLS. */
  | { outcome: 'no_tls'; message: string }
  | { outcome: 'unreachable'; message: string };

/** Versions of records such as `v=DMARC1; …`, whose version others compare exactly, or `v=spf1 …`. */
export type Version = 'spf1' | 'DMARC1' | 'DKIM1' | 'STSv1' | 'TLSRPTv1';

/** A record that a parent domain publishes for this one too, and the policy that it requests for this one. */
export type Inherited = Verdict & { found: string[]; inherited_from: string; policy: DmarcPolicy };

type RecordName = Pick<DnsRecord, 'purpose' | 'type' | 'name' | 'expected' | 'required'>;

/** A record that a domain should publish, and how to judge what is found. */
export type ExpectedRecord = RecordName & {
  /** The types to look up where there is none of `type`, in turn. */
  orElse?: readonly RecordType[];
  /** Tells which values of that name and type concern the purpose. All do by default. */
  concerns?: (value: string) => boolean;
  /** Where none concerns the purpose, one that looks like a record of this version is shown with what is wrong with it. */
  version?: Version;
  /** Returns the record that applies to the domain if it publishes none itself; null if none does. @throws LookupFailed */
  inherit?: (resolver: Resolver) => Promise<Inherited | null>;
  /** Judges values that concern the purpose. There is at least one. @throws LookupFailed */
  judge: (values: string[], resolver: Resolver, probes: Probes) => Verdict | Promise<Verdict>;
  /** Null for a record that is left out unless it is found. */
  missing: { severity: DnsSeverity; message: string } | null;
};

/** A check that is more than the lookup of a record. */
export type ExaminedRecord = Omit<RecordName, 'required'> & {
  /** @throws LookupFailed */
  examine: (resolver: Resolver, probes: Probes) => Promise<Examined>;
};

type Examined = Verdict & {
  found: string[];
  ttl: number | null;
  required: boolean;
  authoritative?: DnsRecord['authoritative'];
};

/** Why a record can't be judged now: a name it depends on has no answer. The message is shown to admins. */
export class LookupFailed extends Error {
  override name = 'LookupFailed';
}

export function ok(message: string): Verdict {
  return { status: 'ok', severity: 'ok', message, fix: null };
}

/** Something that mail doesn't need, or that can't be known from here. */
export function info(message: string): Verdict {
  return { status: 'ok', severity: 'info', message, fix: null };
}

export function insecure(message: string, fix: string): Verdict {
  return { status: 'insecure', severity: 'error', message, fix };
}

export function mismatch(severity: 'error' | 'warning', message: string, fix: string | null): Verdict {
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

export function temporaryError(reason: string): Verdict {
  return { status: 'temporary_error', severity: 'warning', message: `The lookup failed: ${reason}`, fix: null };
}

const TAG_NAME = /^[a-z][a-z0-9_]*$/;
const ESCAPED_CONTROL = /\\(?:0[0-3]|12)\d/;

const MAX_SHOWN = 60;

/** The tags of a record such as `v=DKIM1; k=rsa; p=…`, by lower-case name. Null if it has no such form. */
export function tagsOf(text: string): Map<string, string> | null {
  const tags = readTags(text);
  return typeof tags === 'string' ? null : tags;
}

/** Why {@link tagsOf} is null, naming the part; null if it isn't. */
export function tagProblem(text: string): string | null {
  const tags = readTags(text);
  return typeof tags === 'string' ? tags : null;
}

function readTags(text: string): Map<string, string> | string {
  const tags = new Map<string, string>();
  for (const part of text.split(';')) {
    const shown = part.trim().slice(0, MAX_SHOWN);
    if (shown === '') continue;
    const [name = '', ...rest] = part.split('=');
    const key = name.trim().toLowerCase();
    if (rest.length === 0) return `“${shown}” has no value`;
    if (!TAG_NAME.test(key)) return `“${shown}” doesn’t begin with the name of a tag`;
    if (ESCAPED_CONTROL.test(part) && key !== 'p') return `“${shown}” has a line break or another control character`;
    if (tags.has(key)) return `${key} is there twice`;
    tags.set(key, rest.join('=').trim());
  }
  return tags;
}

/** A lookup that has an answer, with as many values as are judged. @throws LookupFailed */
export async function answered(lookup: Promise<Lookup>, name: string): Promise<Answered> {
  const found = await lookup;
  if (found.status === 'temporary_error') throw new LookupFailed(`${name}: ${found.reason}`);
  return found.status === 'found' ? { ...found, values: found.values.slice(0, MAX_VALUES) } : found;
}

/** The values of a lookup that is not judged by itself, empty if there are none. @throws LookupFailed */
export async function valuesOf(resolver: Resolver, name: string, type: RecordType): Promise<string[]> {
  return (await answered(resolver.lookup(name, type), name)).values;
}

/** IPv4 before IPv6. @throws LookupFailed */
export async function addressesOf(resolver: Resolver, host: string): Promise<string[]> {
  const [four, six] = await Promise.all([valuesOf(resolver, host, 'A'), valuesOf(resolver, host, 'AAAA')]);
  return [...four, ...six];
}
