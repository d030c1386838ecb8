import { isIP } from 'node:net';
import type { Resolver } from '@/server/dns/resolver';
import { MTA_STS_PATH, mtaStsHosts, mtaStsPolicy, mtaStsRecordValue } from '../../published/mta-sts';
import { targetsOf } from './mail-host';
import {
  addressesOf,
  type DomainFacts,
  type ExpectedRecord,
  hasPublicName,
  info,
  mismatch,
  multiple,
  ok,
  type Probes,
  type Verdict,
  valuesOf,
} from './record';

/** Records of what this app serves to other servers and to mail programs. */
export function publishedRecords(facts: DomainFacts): ExpectedRecord[] {
  // No record can point to an app that has no public name yet.
  if (!hasPublicName(facts.appHost)) return [mtaStsRecord(facts)];
  const policyHost = facts.mtaStsMode === 'none' ? [] : [policyHostRecord(facts)];
  return [
    mtaStsRecord(facts),
    ...policyHost,
    settingsHostRecord(facts, 'autoconfig', '/mail/config-v1.1.xml', 'Thunderbird and other mail programs'),
    settingsHostRecord(facts, 'autodiscover', '/autodiscover/autodiscover.xml', 'Outlook'),
  ];
}

/** MTA-STS: the record announces the policy that is served, which agrees with the MX records (RFC 8461). */
function mtaStsRecord(facts: DomainFacts): ExpectedRecord {
  const { name, mtaStsMode } = facts;
  const isOff = mtaStsMode === 'none';
  const value = mtaStsRecordValue(mtaStsPolicy(facts));
  return {
    purpose: 'mta_sts',
    type: 'TXT',
    name: `_mta-sts.${name}`,
    expected: isOff ? null : value,
    required: false,
    version: 'STSv1',
    concerns: (text) => /^v=STSv1(\s*;|\s*$)/.test(text),
    missing: isOff
      ? {
          severity: 'info',
          message:
            'MTA-STS makes other servers deliver over verified TLS only. Choose a mode in the domain’s settings.',
        }
      : { severity: 'warning', message: 'Without the record, other servers don’t look for the MTA-STS policy.' },
    async judge(values, resolver) {
      if (values.length > 1) return multiple(values.length, 'MTA-STS');
      const isCurrent = idOf(values[0] ?? '') === idOf(value);
      if (!isCurrent) return outdated(value, isOff);
      if (isOff)
        return ok('The policy is revoked. Delete the record when other servers have forgotten it, after 14 days.');
      const allowed = mtaStsHosts(facts);
      const others = (await mxTargets(resolver, name)).filter((target) => !allowed.includes(target.toLowerCase()));
      if (others.length > 0) return excluded(others, facts);
      if (mtaStsMode === 'enforce') return ok('Other servers deliver over verified TLS only.');
      return info(
        'Other servers only report failed TLS. Change the mode to enforce when TLS reports show no failures.',
      );
    },
  };
}

function outdated(value: string, isOff: boolean): Verdict {
  const message = isOff
    ? 'The record announces an MTA-STS policy, but the domain’s mode is none, so other servers may keep an earlier policy.'
    : 'The record’s id is that of an earlier policy, so other servers keep that one.';
  return mismatch('warning', message, `Change the record to ${value}`);
}

function excluded(others: string[], facts: DomainFacts): Verdict {
  return mismatch(
    facts.mtaStsMode === 'enforce' ? 'error' : 'warning',
    `The MTA-STS policy allows ${mtaStsHosts(facts).join(', ')} only, but the MX records also name ${others.join(', ')}.`,
    'Remove the other MX records, or add their hosts to the other MX hosts in the domain’s settings.',
  );
}

function idOf(value: string): string | undefined {
  return /;\s*id\s*=\s*([0-9a-zA-Z]{1,32})\s*(;|$)/.exec(value)?.[1];
}

async function mxTargets(resolver: Resolver, name: string): Promise<string[]> {
  return targetsOf(await valuesOf(resolver, name, 'MX'));
}

/** The host name at which other servers fetch the policy. */
function policyHostRecord(facts: DomainFacts): ExpectedRecord {
  const name = `mta-sts.${facts.name}`;
  return {
    ...appRecord(facts, name),
    purpose: 'mta_sts',
    missing: {
      severity: 'warning',
      message: 'Other servers can’t fetch the MTA-STS policy, because its host has no address.',
    },
    async judge(values, resolver, probes) {
      const found = await policyAt(facts, probes);
      if (found === 'right') return ok('Other servers find the MTA-STS policy here.');
      // The host of a content delivery network, or of another proxy, is right as long as it has the policy.
      const problem = await elsewhere(values, resolver, facts);
      return problem ?? found ?? ok('Other servers find the MTA-STS policy here.');
    },
  };
}

/** Fetches the policy as other servers do. Null if the check makes no requests. */
async function policyAt(facts: DomainFacts, { fetchText }: Probes): Promise<'right' | Verdict | null> {
  if (!fetchText) return null;
  const url = `https://mta-sts.${facts.name}${MTA_STS_PATH}`;
  const fetched = await fetchText(url);
  const severity = facts.mtaStsMode === 'enforce' ? 'error' : 'warning';
  if ('failure' in fetched) {
    const fix = 'Check the reverse proxy and its certificate for this host name.';
    return mismatch(severity, `The policy could not be fetched from ${url}: ${fetched.failure}`, fix);
  }
  if (fetched.text.trim() === mtaStsPolicy(facts).trim()) return 'right';
  return mismatch(
    severity,
    `${url} has another policy than the domain’s settings.`,
    'Point the host name to this app.',
  );
}

/** A host name at which mail programs fetch their settings. */
function settingsHostRecord(
  facts: DomainFacts,
  label: 'autoconfig' | 'autodiscover',
  path: string,
  programs: string,
): ExpectedRecord {
  const name = `${label}.${facts.name}`;
  return {
    ...appRecord(facts, name),
    purpose: label,
    missing: { severity: 'info', message: `With this record, ${programs} set themselves up.` },
    async judge(values, resolver, probes) {
      const problem = await elsewhere(values, resolver, facts);
      if (problem && !(await namesMailHost(`https://${name}${path}`, facts, probes))) return problem;
      return ok(`${programs} find their settings here.`);
    },
  };
}

async function namesMailHost(url: string, { mailHost }: DomainFacts, { fetchText }: Probes): Promise<boolean> {
  const fetched = await fetchText?.(url);
  return fetched !== undefined && 'text' in fetched && fetched.text.includes(`>${mailHost}<`);
}

function appRecord({ appHost }: DomainFacts, name: string) {
  return { type: 'CNAME', orElse: ['A', 'AAAA'], name, expected: appHost, required: false } as const;
}

/** Null if a host name, given its CNAME or its addresses, is this app. */
async function elsewhere(values: string[], resolver: Resolver, { appHost }: DomainFacts): Promise<Verdict | null> {
  if (values.includes(appHost)) return null;
  const own = await addressesOf(resolver, appHost);
  const found = await Promise.all(values.map((value) => (isIP(value) ? [value] : addressesOf(resolver, value))));
  const addresses = found.flat();
  if (addresses.length > 0 && addresses.every((address) => own.includes(address))) return null;
  return mismatch('warning', `The host name points to ${values.join(', ')}.`, `Point it to ${appHost}.`);
}
