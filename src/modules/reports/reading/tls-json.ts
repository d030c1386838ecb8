import { normalizeDomainName } from '@/lib/mail/address';
import {
  countIn,
  createLeftOut,
  LIMITS,
  type ParsedTls,
  plain,
  type TlsFailureRow,
  type TlsPolicy,
  timeOf,
  timeRange,
  UnreadablePart,
  UnreadableReport,
  withoutServiceLabels,
} from './report';

// A report in JSON has one entry per kind of failure, so real ones are small.
const MAX_TEXT_LENGTH = 10 * 1024 * 1024;
const MAX_CUT_LENGTH = 1024 * 1024;
const MAX_REPORTS = 5;
const MAX_POLICIES = 20;

/**
 * Reads TLS reports of RFC 8460, as far as they go: one report for each domain that they are about.
 * @param named the domain of policies that name none, such as those of Postfix where it found none
 * @throws UnreadableReport
 */
export async function parseTlsJson(
  texts: AsyncIterable<string>,
  named: string | null = null,
): Promise<(ParsedTls | UnreadableReport)[]> {
  let text = '';
  for await (const piece of texts) {
    text += piece;
    if (text.length > MAX_TEXT_LENGTH) throw new UnreadableReport('The report is larger than 10 MB.', 'too_large');
  }
  const { value, isCut } = parseJson(text);
  const reports = listIn(value)
    .slice(0, MAX_REPORTS)
    .flatMap((given) => readable(given, isCut, named));
  if (reports.length === 0) throw new UnreadableReport('The report names no domain.');
  return reports;
}

/** The reports of one value of a list, or why it can't be read, which doesn't affect the others. */
function readable(given: unknown, isCut: boolean, named: string | null): (ParsedTls | UnreadableReport)[] {
  try {
    return reportsIn(reportIn(given), isCut, named);
  } catch (error) {
    if (error instanceof UnreadableReport) return [error];
    throw error;
  }
}

/** A report, also one that is the only value of an object around it. */
function reportIn(given: unknown): unknown {
  if (typeof given !== 'object' || given === null || fieldOf(given, 'policies') !== undefined) return given;
  const [inner, ...others] = Object.values(given);
  return others.length === 0 && fieldOf(inner, 'policies') !== undefined ? inner : given;
}

/** Control characters are spaces between values, and forbidden within text. A file that was cut is read as far as it goes. */
function parseJson(given: string): { value: unknown; isCut: boolean } {
  const text = given.replace(/[\u0000-\u001f\ufeff]+/g, ' ');
  try {
    return { value: JSON.parse(text), isCut: false };
  } catch {
    const value = text.length <= MAX_CUT_LENGTH ? jsonIn(closed(text)) : undefined;
    if (value === undefined) throw new UnreadableReport('The file is not valid JSON.');
    return { value, isCut: true };
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** JSON up to its last whole value, with all that is open closed. */
function closed(text: string): string {
  const open: string[] = [];
  let [end, closing] = [0, ''];
  for (const { index, 0: sign } of text.matchAll(/"[^"\\]*(?:\\.?[^"\\]*)*"?|[[\]{},]/g)) {
    if (sign === '{' || sign === '[') open.push(sign === '{' ? '}' : ']');
    else if (sign === '}' || sign === ']') open.pop();
    if (sign.startsWith('"') || open.length > LIMITS.depth) continue;
    end = sign === ',' ? index : index + 1;
    closing = open.toReversed().join('');
  }
  return text.slice(0, end) + closing;
}

/** A value of an object, whatever the letter case of its name, and with `_` for `-`. */
function fieldOf(object: unknown, name: string): unknown {
  if (typeof object !== 'object' || object === null || Array.isArray(object)) return undefined;
  if (Object.hasOwn(object, name)) return (object as Record<string, unknown>)[name];
  return Object.entries(object).find(([key]) => key.toLowerCase().replaceAll('_', '-') === name)?.[1];
}

/** A list, also of one value that isn't in a list. */
function listIn(value: unknown): unknown[] {
  return value === undefined || value === null ? [] : [value].flat();
}

/** Text, also as a number. Null if it is none, or empty. */
function textIn(value: unknown, maxLength?: number): string | null {
  return typeof value === 'string' || typeof value === 'number' ? plain(String(value), maxLength) || null : null;
}

function reportsIn(given: unknown, isCut: boolean, named: string | null): ParsedTls[] {
  if (fieldOf(given, 'policies') === undefined) throw new UnreadableReport('The JSON is not a TLS report.');
  const range = fieldOf(given, 'date-range');
  const timeIn = (name: string) => timeOf(textIn(fieldOf(range, name)) ?? '');
  const contact = textIn(fieldOf(given, 'contact-info')) ?? '';
  const leftOut = createLeftOut();
  if (isCut) leftOut.add('The file ends before the report does.');
  const sender = {
    kind: 'tls' as const,
    organisation: textIn(fieldOf(given, 'organization-name')) || contact || 'unknown',
    contact,
    reportId: textIn(fieldOf(given, 'report-id')) ?? 'unknown',
    ...timeRange(timeIn('start-datetime'), timeIn('end-datetime'), leftOut.add),
  };
  const policies = listIn(fieldOf(given, 'policies'));
  if (policies.length > MAX_POLICIES) {
    leftOut.add('The policy is beyond the limit of policies.', policies.length - MAX_POLICIES);
  }
  const byDomain = new Map<string, unknown[]>();
  for (const entry of policies.slice(0, MAX_POLICIES)) {
    for (const domain of leftOut.attempt(() => domainOf(entry, named)))
      byDomain.set(domain, [...(byDomain.get(domain) ?? []), entry]);
  }
  // Omissions that belong to no domain are shown with every domain.
  return [...byDomain].map(([domain, entries]) => ({ ...sender, domain, ...contentOf(entries, leftOut.list()) }));
}

function domainOf(entry: unknown, named: string | null): string {
  const text = textIn(fieldOf(fieldOf(entry, 'policy'), 'policy-domain')) ?? named ?? '';
  const domain = normalizeDomainName(withoutServiceLabels(text));
  if (!domain) throw new UnreadablePart('The policy names no domain.');
  return domain;
}

function contentOf(
  entries: unknown[],
  shared: ParsedTls['leftOut'],
): Pick<ParsedTls, 'policies' | 'failures' | 'isTruncated' | 'leftOut'> {
  const leftOut = createLeftOut();
  for (const { reason, count } of shared) leftOut.add(reason, count);
  const byPolicy = entries.map((entry) =>
    listIn(fieldOf(entry, 'failure-details')).flatMap((failure) => leftOut.attempt(() => failureOf(failure))),
  );
  const mostFirst = byPolicy.flat().toSorted((one, other) => other.sessions - one.sessions);
  const isTruncated = mostFirst.length > LIMITS.tlsFailures;
  if (isTruncated) {
    leftOut.add('The failure is beyond the limit of failures.', mostFirst.length - LIMITS.tlsFailures);
  }
  const policies = entries.map((entry, index) => {
    const detailed = (byPolicy[index] ?? []).reduce((sum, { sessions }) => sum + sessions, 0);
    return policyOf(entry, Math.min(detailed, LIMITS.count), leftOut);
  });
  return { policies, failures: mostFirst.slice(0, LIMITS.tlsFailures), isTruncated, leftOut: leftOut.list() };
}

/** @param detailed the failed sessions in the details */
function policyOf(entry: unknown, detailed: number, leftOut: ReturnType<typeof createLeftOut>): TlsPolicy {
  const policy = fieldOf(entry, 'policy');
  const summary = fieldOf(entry, 'summary');
  const succeeded = countIn(fieldOf(summary, 'total-successful-session-count'));
  const failed = countIn(fieldOf(summary, 'total-failure-session-count'));
  if (succeeded === null) leftOut.add('The number of successful sessions isn’t a valid count.');
  if (failed === null) leftOut.add('The number of failed sessions isn’t a valid count.');
  const failedSessions = failed ?? detailed;
  return {
    type: textIn(fieldOf(policy, 'policy-type')) ?? 'unknown',
    strings: textsIn(fieldOf(policy, 'policy-string')),
    mx_hosts: textsIn(fieldOf(policy, 'mx-host') ?? fieldOf(policy, 'mx-host-pattern')),
    sessions: (succeeded ?? 0) + failedSessions,
    failed_sessions: failedSessions,
  };
}

function textsIn(value: unknown): string[] {
  return listIn(value)
    .slice(0, LIMITS.listLength)
    .flatMap((text) => textIn(text) ?? []);
}

/** @throws UnreadablePart */
function failureOf(failure: unknown): TlsFailureRow {
  const of = (name: string, maxLength?: number) => textIn(fieldOf(failure, name), maxLength);
  const resultType = of('result-type');
  if (!resultType) throw new UnreadablePart('The failure has no result type.');
  const sessions = countIn(fieldOf(failure, 'failed-session-count'));
  if (sessions === null) throw new UnreadablePart('The failure’s number of sessions isn’t a valid count.');
  return {
    resultType: resultType.toLowerCase(),
    mxHost: of('receiving-mx-hostname')?.toLowerCase().replace(/\.$/, '') ?? null,
    sendingIp: of('sending-mta-ip'),
    receivingIp: of('receiving-ip'),
    receivingHelo: of('receiving-mx-helo'),
    sessions,
    reasonCode: of('failure-reason-code', LIMITS.commentLength),
    additionalInformation:
      of('additional-information', LIMITS.commentLength) ?? of('additional-info-uri', LIMITS.commentLength),
  };
}
