import { createResolver, type Lookup, type Resolver } from '@/server/dns/resolver';
import { addressesOf, hostRecords, mxRecord, serviceRecords } from './records/mail-host';
import { publishedRecords } from './records/published';
import type { DomainFacts, ExpectedRecord, Probes, Verdict } from './records/record';
import { dkimRecords, dmarcRecord, ownershipRecord, spfRecord } from './records/sending';
import type { DnsRecord, DnsRecordStatus } from './schema';

const TIMEOUT_MS = 15_000;

export type CheckedRecord = Omit<DnsRecord, 'changed_at' | 'checked_at'>;

/** The records of a domain that don't depend on what DNS answers, in the order in which they are shown. */
export function expectedRecords(facts: DomainFacts): ExpectedRecord[] {
  return [
    mxRecord(facts),
    spfRecord(facts),
    ...dkimRecords(facts),
    dmarcRecord(facts),
    ...publishedRecords(facts),
    ownershipRecord(facts),
    ...serviceRecords(facts),
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
  const addresses = await addressesOf(resolver, facts.mailHost);
  const records = [...expectedRecords(facts), ...hostRecords(facts, addresses)];
  return Promise.all(
    records.map(async (record) => {
      const checked = await checkRecord(record, resolver, probes);
      onChecked?.(checked, records.length);
      return checked;
    }),
  );
}

async function checkRecord(record: ExpectedRecord, resolver: Resolver, probes: Probes): Promise<CheckedRecord> {
  const { purpose, type, name, expected, required } = record;
  const [lookup, authoritative] = await Promise.all([lookUp(record, resolver), lookUpAuthoritative(record, resolver)]);
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
  if (lookup.status === 'temporary_error') {
    const message = `The lookup failed: ${lookup.reason}`;
    return { found: [], status: 'temporary_error', severity: 'warning', message, fix: null };
  }
  const found = lookup.values.filter(concerns);
  if (found.length > 0) return { found, ...(await record.judge(found, resolver, probes)) };
  const fix = expected === null ? null : 'Publish this record at your DNS provider.';
  return { found, status: 'missing', ...missing, fix };
}

/** Says so if the name servers have the right record and resolvers still keep the old one. */
function withProgress(verdict: Verdict, authoritative: { status: DnsRecordStatus }[], lookup: Lookup): Verdict {
  const isOldOnly =
    verdict.status !== 'ok' && authoritative.length > 0 && authoritative.every(({ status }) => status === 'ok');
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
