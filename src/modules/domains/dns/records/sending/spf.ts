import { spf } from 'mailauth/lib/spf';
import type { RecordType, Resolver } from '@/server/dns/resolver';
import {
  addressesOf,
  type DomainFacts,
  type ExpectedRecord,
  LookupFailed,
  mismatch,
  multiple,
  ok,
  type Verdict,
  valuesOf,
} from '../record';
import { isSpf, syntaxProblem, type TermProblem, termProblem, withoutTrailingDots } from './spf-terms';

const EXPECTED = 'v=spf1 mx -all';
const MAX_LOOKUPS = 10;
const MAX_VOID_LOOKUPS = 2;
// Evaluation goes on beyond the limits, to say by how much a record exceeds them.
const COUNTED_LOOKUPS = 40;
/** For documentation (RFC 5737): no server sends from it. */
const OUTSIDER = '203.0.113.253';

type Domain = Pick<DomainFacts, 'name' | 'mailHost'>;
type Evaluation = { result: string; lookups: number; voidLookups: number };

/** SPF: evaluated as receiving servers do, for each address of the mail server and for one that may not send. */
export function spfRecord({ name, mailHost }: DomainFacts): ExpectedRecord {
  const domain = { name, mailHost };
  return {
    purpose: 'spf',
    type: 'TXT',
    name,
    expected: EXPECTED,
    required: true,
    version: 'spf1',
    concerns: isSpf,
    missing: {
      severity: 'error',
      message: 'Without an SPF record, receiving servers can’t tell your mail from forged mail.',
    },
    async judge(values, resolver) {
      if (values.length > 1) return multiple(values.length, 'SPF');
      // Nothing in the record matches an outsider, so that all of it is evaluated.
      const outsider = await evaluate(OUTSIDER, domain, resolver);
      const [record = ''] = values;
      const problem =
        termVerdict(syntaxProblem(record)) ??
        limitProblem(outsider) ??
        (await endProblem(outsider.result, record, resolver));
      if (problem) return problem;
      for (const address of await addressesOf(resolver, mailHost)) {
        const { result } = await evaluate(address, domain, resolver);
        if (result === 'pass') continue;
        if (result === 'permerror') return invalid(record, resolver);
        return mismatch(
          'error',
          `The SPF record doesn’t allow your mail server to send from ${address}.`,
          'Add mx to the record, before all.',
        );
      }
      return ok('Your mail server may send for the domain, and others may not.');
    },
  };
}

function limitProblem({ lookups, voidLookups }: Evaluation): Verdict | null {
  const count = lookups > COUNTED_LOOKUPS ? `more than ${COUNTED_LOOKUPS}` : lookups;
  if (lookups > MAX_LOOKUPS) {
    return mismatch(
      'error',
      `The SPF record needs ${count} DNS lookups. Receiving servers stop after ${MAX_LOOKUPS} and treat it as invalid.`,
      'Remove include, a and mx terms that you don’t need, or replace them with ip4 and ip6.',
    );
  }
  if (voidLookups <= MAX_VOID_LOOKUPS) return null;
  return mismatch(
    'error',
    `${voidLookups} names in the SPF record don’t exist. Receiving servers stop after ${MAX_VOID_LOOKUPS} and treat it as invalid.`,
    'Remove the terms whose names don’t exist.',
  );
}

/** What the record says about everybody else. */
async function endProblem(result: string, record: string, resolver: Resolver): Promise<Verdict | null> {
  const fix = 'End the record with -all.';
  switch (result) {
    case 'fail':
    case 'softfail':
      return null;
    case 'pass':
      return mismatch('error', 'The SPF record lets every server send for the domain.', fix);
    case 'neutral':
      return mismatch('error', 'The SPF record doesn’t say that other servers may not send for the domain.', fix);
    default:
      return invalid(record, resolver);
  }
}

/** @throws LookupFailed */
async function invalid(record: string, resolver: Resolver): Promise<Verdict> {
  const named = termVerdict(await termProblem(record, resolver));
  return named ?? mismatch('error', 'The SPF record is invalid.', `Simplify it, for example to ${EXPECTED}.`);
}

function termVerdict(problem: TermProblem | null): Verdict | null {
  if (!problem) return null;
  const { term, why, fix } = problem;
  return mismatch('error', `The SPF record is invalid at ${term}: ${why}.`, fix);
}

/** @throws LookupFailed */
async function evaluate(ip: string, { name, mailHost }: Domain, resolver: Resolver): Promise<Evaluation> {
  let failure: LookupFailed | undefined;
  const { status, lookups } = await spf({
    ip,
    sender: `postmaster@${name}`,
    helo: mailHost,
    mta: mailHost,
    maxResolveCount: COUNTED_LOOKUPS,
    maxVoidCount: COUNTED_LOOKUPS,
    resolver: (host: string, type: string) =>
      resolveAsNode(resolver, host, type as RecordType).catch((error: unknown) => {
        if (error instanceof LookupFailed) failure = error;
        throw error;
      }),
  });
  if (failure) throw failure;
  return { result: status.result, lookups: lookups?.count ?? 0, voidLookups: lookups?.void ?? 0 };
}

/** A lookup in the form of `dns.promises.resolve`, whose errors have a code. */
async function resolveAsNode(resolver: Resolver, host: string, type: RecordType): Promise<string[]> {
  const found = await valuesOf(resolver, host, type);
  if (found.length === 0) throw Object.assign(new Error('ENOTFOUND'), { code: 'ENOTFOUND' });
  const values: unknown = found.map((value) => {
    const [priority = '0', exchange = ''] = value.split(' ');
    if (type === 'MX') return { priority: Number(priority), exchange };
    return type === 'TXT' ? [withoutTrailingDots(value)] : value;
  });
  // The type of mailauth knows no MX.
  return values as string[];
}
