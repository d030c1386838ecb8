import type { DmarcPolicy } from '@/lib/mail/dmarc';
import type { Lookup, Resolver } from '@/server/dns/resolver';
import { log } from '@/server/log';
import { lookalike } from '../records/lookalike';
import {
  type ExaminedRecord,
  type ExpectedRecord,
  LookupFailed,
  MAX_VALUES,
  type Probes,
  temporaryError,
  type Verdict,
} from '../records/record';
import type { DnsRecord } from '../schema';

/** `policy` is the one that an inherited record asks of the domain. */
export type CheckedRecord = Omit<DnsRecord, 'changed_at' | 'checked_at'> & { policy?: DmarcPolicy };

/** @returns null for a record that is left out unless it is found */
export function checkOne(
  record: ExpectedRecord | ExaminedRecord,
  resolver: Resolver,
  probes: Probes,
): Promise<CheckedRecord | null> {
  return 'examine' in record ? examineRecord(record, resolver, probes) : checkRecord(record, resolver, probes);
}

async function checkRecord(record: ExpectedRecord, resolver: Resolver, probes: Probes): Promise<CheckedRecord | null> {
  const { purpose, type, name, expected, required } = record;
  const [lookup, authoritative] = await Promise.all([lookUp(record, resolver), lookUpAuthoritative(record, resolver)]);
  if (lookup.status === 'missing' && record.missing === null) return null;
  const { found, inherited_from, policy, ...verdict } = await judge(record, lookup, resolver, probes);
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
    inherited_from,
    policy,
    ...withProgress(verdict, answers, lookup),
    ttl: 'ttlSeconds' in lookup ? lookup.ttlSeconds : null,
    authoritative: answers.map(({ server, found: values, status }) => ({ server, found: values, status })),
  };
}

async function examineRecord(
  { purpose, type, name, expected, examine }: ExaminedRecord,
  resolver: Resolver,
  probes: Probes,
): Promise<CheckedRecord> {
  const examined = await examine(resolver, probes).catch((error: unknown) => {
    return { ...failureOf(error, name), found: [], ttl: null, required: false };
  });
  const found = examined.found.slice(0, MAX_VALUES);
  return { purpose, type, name, expected, inherited_from: null, authoritative: [], ...examined, found };
}

async function lookUp({ name, type, orElse = [] }: ExpectedRecord, resolver: Resolver): Promise<Lookup> {
  let lookup = await resolver.lookup(name, type);
  for (const other of orElse) if (lookup.status === 'missing') lookup = await resolver.lookup(name, other);
  return lookup;
}

async function lookUpAuthoritative({ name, type, orElse = [] }: ExpectedRecord, resolver: Resolver) {
  let answers = await resolver.lookupAuthoritative(name, type);
  for (const other of orElse) {
    if (answers.every(({ lookup }) => lookup.status !== 'missing')) break;
    const others = await resolver.lookupAuthoritative(name, other);
    answers = answers.map((answer, index) => (answer.lookup.status === 'missing' ? (others[index] ?? answer) : answer));
  }
  return answers;
}

async function judge(record: ExpectedRecord, lookup: Lookup, resolver: Resolver, probes: Probes): Promise<Judged> {
  const { missing, concerns = () => true } = record;
  if (lookup.status === 'temporary_error') {
    const failure = temporaryError(lookup.reason);
    // Perhaps there is no such record, which would be fine.
    return { ...failure, severity: missing === null ? 'info' : failure.severity, found: [], inherited_from: null };
  }
  const found = lookup.values.filter(concerns).slice(0, MAX_VALUES);
  if (found.length > 0) {
    return { ...(await judgeFound(record, found, resolver, probes)), found, inherited_from: null };
  }
  return judgeAlike(record, lookup.values) ?? (await judgeInherited(record, resolver)) ?? notFound(record);
}

type Judged = Verdict & { found: string[]; inherited_from: string | null; policy?: DmarcPolicy };

/** Values that are meant as the record, and that others don't recognize. */
function judgeAlike({ version, missing, required }: ExpectedRecord, values: string[]): Judged | null {
  if (!version) return null;
  const severity = required && missing?.severity === 'error' ? 'error' : 'warning';
  const alike = values.flatMap((value) => {
    const verdict = lookalike(value, version, severity);
    return verdict ? [{ value, verdict }] : [];
  });
  const [first] = alike;
  return first ? { ...first.verdict, found: alike.map(({ value }) => value), inherited_from: null } : null;
}

async function judgeInherited({ inherit, name }: ExpectedRecord, resolver: Resolver): Promise<Judged | null> {
  try {
    return (await inherit?.(resolver)) ?? null;
  } catch (error) {
    return { ...failureOf(error, name), found: [], inherited_from: null };
  }
}

function notFound({ missing, expected }: ExpectedRecord): Judged {
  const fix = expected === null ? null : 'Publish this record at your DNS provider.';
  const { severity, message } = missing ?? { severity: 'ok', message: 'There is no such record.' };
  return { status: 'missing', severity, message, fix, found: [], inherited_from: null };
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
    return failureOf(error, record.name);
  }
}

/** Whatever others publish or answer, the rest of the check is stored. */
function failureOf(error: unknown, name: string): Verdict {
  if (error instanceof LookupFailed) return temporaryError(error.message);
  log.error({ error, name }, 'judging a DNS record failed');
  return temporaryError('an unexpected error. The log of this server has the details.');
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
