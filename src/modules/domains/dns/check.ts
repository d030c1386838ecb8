import { createResolver, type Lookup, type Resolver } from '@/server/dns/resolver';
import { dkimRecords } from './records/dkim';
import { dmarcRecord } from './records/dmarc';
import { hostRecords, mxRecord, reverseRecords } from './records/mail-host';
import { ownershipRecord } from './records/ownership';
import { publishedRecords } from './records/published';
import {
  addressesOf,
  type DomainFacts,
  type ExpectedRecord,
  LookupFailed,
  type Probes,
  temporaryError,
  type Verdict,
} from './records/record';
import { serviceRecords } from './records/services';
import { spfRecord } from './records/spf';
import { tlsReportRecord } from './records/tls-reports';
import { DNS_PURPOSES, type DnsRecord } from './schema';

const TIMEOUT_MS = 15_000;
// As many as are judged and stored, whatever somebody publishes.
const MAX_FOUND = 50;

export type CheckedRecord = Omit<DnsRecord, 'changed_at' | 'checked_at'>;

/** The records of a domain that don't depend on what DNS answers. */
export function expectedRecords(facts: DomainFacts): ExpectedRecord[] {
  return [
    mxRecord(facts),
    spfRecord(facts),
    ...dkimRecords(facts),
    dmarcRecord(facts),
    tlsReportRecord(facts),
    ...hostRecords(facts),
    ...publishedRecords(facts),
    ...serviceRecords(facts),
    ownershipRecord(facts),
  ];
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
  const expected = expectedRecords(facts);
  let total = expected.length;
  const checkOne = async (record: ExpectedRecord) => {
    const checked = await checkRecord(record, resolver, probes);
    if (checked) onChecked?.(checked, total);
    else total -= 1;
    return checked;
  };
  const checked = await Promise.all([
    ...expected.map(checkOne),
    reverseRecordsOf(facts, resolver).then((records) => {
      total += records.length;
      return Promise.all(records.map(checkOne));
    }),
  ]);
  return inOrder(checked.flat().filter((record) => record !== null));
}

/** Those that mail depends on first. */
function inOrder(records: CheckedRecord[]): CheckedRecord[] {
  const rank = ({ purpose, required }: CheckedRecord) =>
    DNS_PURPOSES.indexOf(purpose) + (required ? 0 : DNS_PURPOSES.length);
  return records.toSorted((one, other) => rank(one) - rank(other));
}

async function reverseRecordsOf(facts: DomainFacts, resolver: Resolver): Promise<ExpectedRecord[]> {
  const addresses = await addressesOf(resolver, facts.mailHost).catch(noneIfFailed);
  return reverseRecords(facts, addresses);
}

function noneIfFailed(error: unknown): never[] {
  if (error instanceof LookupFailed) return [];
  throw error;
}

/** @returns null for a record that is left out unless it is found */
async function checkRecord(record: ExpectedRecord, resolver: Resolver, probes: Probes): Promise<CheckedRecord | null> {
  const { purpose, type, name, expected, required } = record;
  const [lookup, authoritative] = await Promise.all([lookUp(record, resolver), lookUpAuthoritative(record, resolver)]);
  if (lookup.status === 'missing' && record.missing === null) return null;
  const { found, ...verdict } = await judge(record, lookup, resolver, probes);
  const answers = await Promise.all(
    authoritative.map(async (answer) => ({
      server: answer.server,
      ...(await judge(record, answer.lookup, resolver, {})),
    })),
  );
  return {
    purpose,
    type,
    name,
    expected,
    required,
    found,
    ...withProgress(verdict, answers, lookup),
    ttl: 'ttlSeconds' in lookup ? lookup.ttlSeconds : null,
    authoritative: answers.map(({ server, found: values, status }) => ({ server, found: values, status })),
  };
}

async function lookUp({ name, type, orElse }: ExpectedRecord, resolver: Resolver): Promise<Lookup> {
  const lookup = await resolver.lookup(name, type);
  return orElse && lookup.status === 'missing' ? resolver.lookup(name, orElse) : lookup;
}

async function lookUpAuthoritative({ name, type, orElse }: ExpectedRecord, resolver: Resolver) {
  const answers = await resolver.lookupAuthoritative(name, type);
  if (!orElse || answers.every(({ lookup }) => lookup.status !== 'missing')) return answers;
  const others = await resolver.lookupAuthoritative(name, orElse);
  return answers.map((answer, index) => (answer.lookup.status === 'missing' ? (others[index] ?? answer) : answer));
}

async function judge(
  record: ExpectedRecord,
  lookup: Lookup,
  resolver: Resolver,
  probes: Probes,
): Promise<Verdict & { found: string[] }> {
  const { missing, concerns = () => true, expected } = record;
  if (lookup.status === 'temporary_error') return { found: [], ...temporaryError(lookup.reason) };
  const found = lookup.values.filter(concerns).slice(0, MAX_FOUND);
  if (found.length > 0) return { found, ...(await judgeFound(record, found, resolver, probes)) };
  const fix = expected === null ? null : 'Publish this record at your DNS provider.';
  const { severity, message } = missing ?? { severity: 'ok', message: 'There is no such record.' };
  return { found, status: 'missing', severity, message, fix };
}

async function judgeFound(
  record: ExpectedRecord,
  found: string[],
  resolver: Resolver,
  probes: Probes,
): Promise<Verdict> {
  try {
    return await record.judge(found, resolver, probes);
  } catch (error) {
    if (!(error instanceof LookupFailed)) throw error;
    return temporaryError(error.message);
  }
}

/** Says so if the name servers that answer have the right record and resolvers still keep the old one. */
function withProgress(verdict: Verdict, authoritative: readonly Verdict[], lookup: Lookup): Verdict {
  const answering = authoritative.filter(({ status }) => status !== 'temporary_error');
  const isOldOnly = verdict.status !== 'ok' && answering.length > 0 && answering.every(({ status }) => status === 'ok');
  if (!isOldOnly) return verdict;
  const seconds = 'ttlSeconds' in lookup ? lookup.ttlSeconds : null;
  const wait = seconds === null ? '' : ` for up to ${Math.max(1, Math.ceil(seconds / 60))} minutes`;
  return {
    ...verdict,
    severity: verdict.severity === 'error' ? 'warning' : verdict.severity,
    message: `Your name servers have the right record. Resolvers may keep the old one${wait}.`,
    fix: null,
  };
}
