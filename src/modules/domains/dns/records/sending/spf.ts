import { spf } from 'mailauth/lib/spf/index.js';
import type { RecordType, Resolver } from '@/server/dns/resolver';
import {
  addressesOf,
  type DomainFacts,
  type ExpectedRecord,
  hasPublicName,
  LookupFailed,
  mismatch,
  multiple,
  ok,
  type Verdict,
  valuesOf,
} from '../record';
import { isSpf, syntaxProblem, type TermProblem, termProblem, withoutTrailingDots } from './spf-terms';

const MAX_LOOKUPS = 10;
const MAX_VOID_LOOKUPS = 2;
// Evaluation goes on beyond the limits, to say by how much a record exceeds them.
const COUNTED_LOOKUPS = 40;
/** For documentation (RFC 5737): no server sends from it. */
const OUTSIDER = '203.0.113.253';
/** An answer with a record that lets every server send, in the form of `dns.promises.resolve`, which isn't that of its type. */
const ANY_SERVER: unknown = [['v=spf1 +all']];

type Domain = Pick<DomainFacts, 'name' | 'mailHost'>;
type Sender = { ip: string } | { relay: string };
type Evaluation = { result: string; lookups: number; voidLookups: number };

/**
 * SPF: evaluated as receiving servers do, for each address of the mail server, or for the relay in its place, and for an address that
 * may not send.
 */
export function spfRecord({ name, mailHost, relaySpf: relay, relayHost }: DomainFacts): ExpectedRecord {
  const domain = { name, mailHost };
  // The domain that the relay's own addresses are published at can't include itself.
  const expected = relay === null || relay === name ? 'v=spf1 mx -all' : `v=spf1 mx include:${relay} -all`;
  return {
    purpose: 'spf',
    type: 'TXT',
    name,
    expected,
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
      const outsider = await evaluate({ ip: OUTSIDER }, domain, resolver);
      const [record = ''] = values;
      const published = { record, expected };
      const problem =
        termVerdict(syntaxProblem(record)) ??
        (relay === null ? null : await relayNameProblem(relay, resolver)) ??
        limitProblem(outsider) ??
        (await endProblem(outsider.result, published, resolver));
      if (problem) return problem;
      if (relay !== null) return judgeRelay(relay, domain, resolver);
      if (relayHost !== null) {
        return mismatch(
          'warning',
          `Mail leaves through ${relayHost}, and whether the SPF record lets it send is unknown.`,
          'Set RELAY_SPF to the name that the relay’s provider says to include in SPF records.',
        );
      }
      for (const address of await addressesOf(resolver, mailHost)) {
        const { result } = await evaluate({ ip: address }, domain, resolver);
        if (result === 'pass') continue;
        if (result === 'permerror') return invalid(published, resolver);
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

/**
 * SPF of the mail server's name, which bounces are from, and the envelope sender of domains whose MX is elsewhere. It is optional, and
 * belongs into another zone, so it isn't among the records to publish. None if the domain has that name, or mail leaves through a relay.
 */
export function hostSpfRecord(facts: DomainFacts): ExpectedRecord[] {
  const { name, mailHost, relayHost, relaySpf } = facts;
  if (mailHost === name || relayHost !== null || relaySpf !== null || !hasPublicName(mailHost)) return [];
  const record = spfRecord({ ...facts, name: mailHost });
  const severity = 'info';
  const message = `Without an SPF record, ${mailHost} can’t prove that bounces are from it, and isn’t in the envelope sender of domains whose MX is elsewhere. Publish v=spf1 a -all.`;
  return [
    {
      ...record,
      purpose: 'host_spf',
      expected: null,
      required: false,
      missing: { severity, message },
      async judge(values, resolver, probes) {
        const verdict = await record.judge(values, resolver, probes);
        if (verdict.severity === 'ok')
          return ok('Your mail server may send bounces under its name, and others may not.');
        const fix = 'Publish v=spf1 a -all in its place.';
        return verdict.severity === 'error' ? { ...verdict, severity: 'warning', fix } : verdict;
      },
    },
  ];
}

/** @throws LookupFailed */
async function judgeRelay(relay: string, domain: Domain, resolver: Resolver): Promise<Verdict> {
  const { result } = await evaluate({ relay }, domain, resolver);
  if (result === 'pass') return ok('Your relay may send for the domain, and others may not.');
  return mismatch(
    'error',
    `The SPF record doesn’t let your relay send for the domain: it doesn’t include ${relay}.`,
    `Add include:${relay} to the record, before all.`,
  );
}

/** The name in RELAY_SPF may be wrong: every record that includes it is invalid then. @throws LookupFailed */
async function relayNameProblem(relay: string, resolver: Resolver): Promise<Verdict | null> {
  if ((await valuesOf(resolver, relay, 'TXT')).some(isSpf)) return null;
  return mismatch(
    'error',
    `${relay} has no SPF record, so no record can include it.`,
    'Set RELAY_SPF to the name that your relay’s provider says to include.',
  );
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

/** Returns the problem with the result that the record gives for servers it doesn't list. */
async function endProblem(result: string, published: Published, resolver: Resolver): Promise<Verdict | null> {
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
      return invalid(published, resolver);
  }
}

type Published = { record: string; expected: string };

/** @throws LookupFailed */
async function invalid({ record, expected }: Published, resolver: Resolver): Promise<Verdict> {
  const named = termVerdict(await termProblem(record, resolver));
  return named ?? mismatch('error', 'The SPF record is invalid.', `Simplify it, for example to ${expected}.`);
}

function termVerdict(problem: TermProblem | null): Verdict | null {
  if (!problem) return null;
  const { term, why, fix } = problem;
  return mismatch('error', `The SPF record is invalid at ${term}: ${why}.`, fix);
}

/**
 * Evaluates the domain's record for an address. For a relay, which has many addresses, the record of its name is taken to let every server
 * send, so that an outsider passes exactly where the domain's record leads to it.
 * @throws LookupFailed
 */
async function evaluate(sender: Sender, { name, mailHost }: Domain, resolver: Resolver): Promise<Evaluation> {
  const { ip, relay } = { ip: OUTSIDER, relay: null, ...sender };
  let failure: LookupFailed | undefined;
  const { status, lookups } = await spf({
    ip,
    sender: `postmaster@${name}`,
    helo: mailHost,
    mta: mailHost,
    maxResolveCount: COUNTED_LOOKUPS,
    maxVoidCount: COUNTED_LOOKUPS,
    resolver: async (host: string, type: string) => {
      if (type === 'TXT' && host.toLowerCase() === relay) return ANY_SERVER as string[];
      return resolveAsNode(resolver, host, type as RecordType).catch((error: unknown) => {
        if (error instanceof LookupFailed) failure = error;
        throw error;
      });
    },
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
