import { z } from 'zod';
import { normalizeDomainName } from '@/lib/mail/address';
import {
  LIMITS,
  type ParsedTls,
  plain,
  type TlsFailureRow,
  type TlsPolicy,
  timeRange,
  UnreadableReport,
} from './report';

// A report in JSON has one entry per kind of failure, so real ones are small.
const MAX_TEXT_LENGTH = 10 * 1024 * 1024;
const MAX_POLICIES = 20;

/** Reads a TLS report of RFC 8460: one report for each domain that it is about. @throws UnreadableReport */
export async function parseTlsJson(texts: AsyncIterable<string>): Promise<ParsedTls[]> {
  let text = '';
  for await (const piece of texts) {
    text += piece;
    if (text.length > MAX_TEXT_LENGTH) throw new UnreadableReport('The report is larger than 10 MB.', 'too_large');
  }
  const { data } = Report.safeParse(parseJson(text));
  if (!data) throw new UnreadableReport('The JSON is not a TLS report.');
  const range = timeRange(new Date(data['date-range']['start-datetime']), new Date(data['date-range']['end-datetime']));
  const contact = plain(data['contact-info'] ?? '');
  const organisation = plain(data['organization-name'] ?? '') || contact || 'unknown';
  const sender = { kind: 'tls' as const, organisation, contact, reportId: plain(data['report-id']), ...range };
  const reports = domainsOf(data.policies).map(([domain, policies]) => ({ ...sender, domain, ...contentOf(policies) }));
  if (reports.length === 0) throw new UnreadableReport('The report names no domain.');
  return reports;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    throw new UnreadableReport('The file is not valid JSON.');
  }
}

const Sessions = z.number().int().min(0).max(LIMITS.count);
const Text = z.string().nullish();
const Texts = z.union([z.string(), z.array(z.string())]).nullish();

const Failure = z.object({
  'result-type': z.string(),
  'sending-mta-ip': Text,
  'receiving-mx-hostname': Text,
  'receiving-mx-helo': Text,
  'receiving-ip': Text,
  'failed-session-count': Sessions,
  'additional-information': Text,
  'additional-info-uri': Text,
  'failure-reason-code': Text,
});

const Policy = z.object({
  policy: z.object({
    'policy-type': z.string(),
    'policy-domain': z.string(),
    'policy-string': Texts,
    'mx-host': Texts,
    'mx-host-pattern': Texts,
  }),
  summary: z.object({ 'total-successful-session-count': Sessions, 'total-failure-session-count': Sessions }),
  'failure-details': z.array(Failure).nullish(),
});

const Report = z.object({
  'organization-name': Text,
  'contact-info': Text,
  'report-id': z.string().min(1),
  'date-range': z.object({ 'start-datetime': z.string().max(64), 'end-datetime': z.string().max(64) }),
  policies: z.array(Policy),
});

type Policies = z.infer<typeof Policy>[];

function domainsOf(policies: Policies): [domain: string, policies: Policies][] {
  const byDomain = new Map<string, Policies>();
  for (const entry of policies.slice(0, MAX_POLICIES)) {
    const domain = normalizeDomainName(entry.policy['policy-domain']);
    if (domain) byDomain.set(domain, [...(byDomain.get(domain) ?? []), entry]);
  }
  return [...byDomain];
}

function contentOf(policies: Policies): Pick<ParsedTls, 'policies' | 'failures' | 'isTruncated'> {
  const failures = policies.flatMap((policy) => policy['failure-details'] ?? []);
  const mostFirst = failures.toSorted((one, other) => other['failed-session-count'] - one['failed-session-count']);
  return {
    policies: policies.map(policyOf),
    failures: mostFirst.slice(0, LIMITS.tlsFailures).map(failureOf),
    isTruncated: failures.length > LIMITS.tlsFailures,
  };
}

function policyOf({ policy, summary }: Policies[number]): TlsPolicy {
  const failed = summary['total-failure-session-count'];
  return {
    type: plain(policy['policy-type']),
    strings: listOf(policy['policy-string']),
    mx_hosts: listOf(policy['mx-host'] ?? policy['mx-host-pattern']),
    sessions: summary['total-successful-session-count'] + failed,
    failed_sessions: failed,
  };
}

function listOf(texts: z.infer<typeof Texts>): string[] {
  return [texts ?? []]
    .flat()
    .slice(0, LIMITS.listLength)
    .map((text) => plain(text));
}

function failureOf(failure: z.infer<typeof Failure>): TlsFailureRow {
  const of = (text: string | null | undefined, maxLength?: number) => (text && plain(text, maxLength)) || null;
  return {
    resultType: plain(failure['result-type']).toLowerCase(),
    mxHost: of(failure['receiving-mx-hostname'])?.toLowerCase().replace(/\.$/, '') ?? null,
    sendingIp: of(failure['sending-mta-ip']),
    receivingIp: of(failure['receiving-ip']),
    receivingHelo: of(failure['receiving-mx-helo']),
    sessions: failure['failed-session-count'],
    reasonCode: of(failure['failure-reason-code'], LIMITS.commentLength),
    additionalInformation: of(
      failure['additional-information'] ?? failure['additional-info-uri'],
      LIMITS.commentLength,
    ),
  };
}
