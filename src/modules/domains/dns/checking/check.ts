import { DNS_PURPOSES } from '@/lib/mail/dns-purposes';
import { createResolver, type Resolver } from '@/server/dns/resolver';
import { untilAborted } from '@/server/outbound/until-aborted';
import { blocklistRecords } from '../records/blocklists';
import { hostRecords, mxRecord, reverseRecords, targetsOf } from '../records/mail-host';
import { ownershipRecord } from '../records/ownership';
import { publishedRecords } from '../records/published';
import {
  addressesOf,
  type DomainFacts,
  type ExaminedRecord,
  type ExpectedRecord,
  LookupFailed,
  type Probes,
  type TlsOffer,
  valuesOf,
} from '../records/record';
import { dkimRecords } from '../records/sending/dkim';
import { dmarcRecord } from '../records/sending/dmarc';
import { hostSpfRecord, spfRecord } from '../records/sending/spf';
import { serviceRecords } from '../records/services';
import { daneRecords } from '../records/tls/dane';
import { startTlsRecords } from '../records/tls/starttls';
import { tlsReportRecord } from '../records/tls/tls-reports';
import { caaRecords } from '../records/zone/caa';
import { dnssecRecord } from '../records/zone/dnssec';
import { nameServerRecord } from '../records/zone/name-servers';
import type { DnsRecord } from '../schema';
import { type CheckedRecord, checkOne } from './check-record';

type StartTls = NonNullable<Probes['startTls']>;
type FetchText = NonNullable<Probes['fetchText']>;

const TIMEOUT_MS = 15_000;
const MAX_MX_HOSTS = 5;

/** The records of a domain that don't depend on what DNS answers. */
export function expectedRecords(facts: DomainFacts): ExpectedRecord[] {
  return [
    mxRecord(facts),
    spfRecord(facts),
    ...dkimRecords(facts),
    dmarcRecord(facts),
    tlsReportRecord(facts),
    ...hostRecords(facts),
    ...hostSpfRecord(facts),
    ...publishedRecords(facts),
    ...serviceRecords(facts),
    ownershipRecord(facts),
  ];
}

/** Returns the records that a domain should publish, while nothing has been looked up. */
export function uncheckedRecords(facts: DomainFacts): DnsRecord[] {
  const records = expectedRecords(facts).filter(({ missing }) => missing !== null);
  return inOrder(
    records.map(({ purpose, type, name, expected, required }) => ({
      ...{ purpose, type, name, expected, required },
      ...{ status: 'unchecked', severity: 'info', message: 'It has not been looked up yet.', fix: null },
      ...{ found: [], inherited_from: null, ttl: null, authoritative: [], changed_at: null, checked_at: null },
    })),
  );
}

export type OnChecked = (record: CheckedRecord, total: number) => void;

/**
 * Looks all records of a domain up, at the resolvers and at the domain's own name servers. It takes 15 seconds at most.
 * @param onChecked called with each record as soon as it is judged
 */
export async function checkDomain(
  facts: DomainFacts,
  { probes = {}, ...options }: Omit<Parameters<typeof createResolver>[0], 'signal'> & { probes?: Probes },
  onChecked?: OnChecked,
): Promise<CheckedRecord[]> {
  const resolver = createResolver({ ...options, signal: AbortSignal.timeout(TIMEOUT_MS) });
  return checkWith(resolver, facts, probes, onChecked);
}

/** Checks what a resolver answers. */
export async function checkWith(
  resolver: Resolver,
  facts: DomainFacts,
  probes: Probes,
  onChecked?: OnChecked,
): Promise<CheckedRecord[]> {
  const once: Probes = {
    ...probes,
    startTls: probes.startTls && eachOnce(probes.startTls),
    fetchText: probes.fetchText && endingWith(resolver.signal, probes.fetchText),
  };
  let total = 0;
  const check = async (records: (ExpectedRecord | ExaminedRecord)[]) => {
    total += records.length;
    return Promise.all(
      records.map(async (record) => {
        const checked = await checkOne(record, resolver, once);
        if (checked) onChecked?.(checked, total);
        else total -= 1;
        return checked;
      }),
    );
  };
  // Groups start when what they depend on is known, so that a slow answer delays its own group only.
  const groups = await Promise.all([
    check([...expectedRecords(facts), ...caaRecords(facts)]),
    orNone(addressesOf(resolver, facts.mailHost)).then((addresses) =>
      check([
        ...reverseRecords(facts, addresses),
        ...(probes.blocklists ? blocklistRecords(facts, addresses, probes.blocklists) : []),
      ]),
    ),
    orNone(mxHostsOf(facts, resolver)).then((hosts) =>
      check([...(once.startTls ? startTlsRecords(facts, hosts, once.startTls) : []), ...daneRecords(hosts)]),
    ),
    resolver
      .zoneOf(facts.name)
      .then((zone) => zone?.name ?? facts.name)
      .then((zone) => check([nameServerRecord(zone), dnssecRecord(zone)])),
  ]);
  return inOrder(groups.flat().filter((record) => record !== null));
}

/** Sorts the records that mail depends on first. */
function inOrder<Record extends CheckedRecord>(records: Record[]): Record[] {
  const rank = ({ purpose, required }: Record) => DNS_PURPOSES.indexOf(purpose) + (required ? 0 : DNS_PURPOSES.length);
  return records.toSorted((one, other) => rank(one) - rank(other));
}

async function mxHostsOf({ name }: DomainFacts, resolver: Resolver): Promise<string[]> {
  const hosts = targetsOf(await valuesOf(resolver, name, 'MX'));
  return hosts.filter((host) => host.includes('.') && host !== '.').slice(0, MAX_MX_HOSTS);
}

/** None if they can't be looked up now: the rows of the last check stay. */
async function orNone(values: Promise<string[]>): Promise<string[]> {
  try {
    return await values;
  } catch (error) {
    if (error instanceof LookupFailed) return [];
    throw error;
  }
}

function endingWith(signal: AbortSignal, fetchText: FetchText): FetchText {
  return (url) =>
    untilAborted(fetchText(url), signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
      return { failure: 'There was no answer in time.' };
    });
}

/** Several records ask for the certificate of one host. */
function eachOnce(startTls: StartTls): StartTls {
  const offers = new Map<string, Promise<TlsOffer>>();
  return (address, host, signal) => {
    const key = `${address} ${host}`;
    const offer = offers.get(key) ?? startTls(address, host, signal);
    offers.set(key, offer);
    return offer;
  };
}
