import { appliedPolicy, type DmarcPolicy, isDmarc } from '@/lib/mail/dmarc';
import { isSameOrganization } from '@/lib/mail/organization';
import type { Resolver } from '@/server/dns/resolver';
import {
  type DomainFacts,
  type ExpectedRecord,
  mismatch,
  multiple,
  ok,
  tagProblem,
  tagsOf,
  type Verdict,
  valuesOf,
} from '../record';
import { inheritedPolicy } from './dmarc-inherited';

const MAX_REPORT_ADDRESSES = 10;
const POLICY = /^(none|quarantine|reject)$/i;
const ALIGNMENT = /^[rs]$/i;
const REPORTS = /^mailto:[^@\s,;!]+@[^@\s,;!]+(![0-9]+[kmgt]?)?$/i;
/** A URI of another scheme is allowed, and nobody sends reports there. */
const OTHER_URI = /^(?!mailto:)[a-z][a-z0-9+.-]{1,20}:\S+$/i;
const isReportList = (value: string) => value.split(',').every((uri) => isReportUri(uri.trim()));
const isReportUri = (uri: string) => REPORTS.test(uri) || OTHER_URI.test(uri);

/** The tags of RFC 9989 and those that it took over or dropped. Others are ignored, as receiving servers do. */
const TAGS: Record<string, (value: string) => boolean> = {
  p: (value) => POLICY.test(value),
  sp: (value) => POLICY.test(value),
  np: (value) => POLICY.test(value),
  adkim: (value) => ALIGNMENT.test(value),
  aspf: (value) => ALIGNMENT.test(value),
  fo: (value) => /^[01ds](\s*:\s*[01ds])*$/i.test(value),
  psd: (value) => /^[ynu]$/i.test(value),
  t: (value) => /^[yn]$/i.test(value),
  rua: isReportList,
  ruf: isReportList,
  pct: (value) => /^\d{1,3}$/.test(value) && Number(value) <= 100,
  rf: (value) => /^afrf(\s*:\s*afrf)*$/i.test(value),
  ri: (value) => /^\d{1,10}$/.test(value),
};

/** DMARC: one valid policy (RFC 9989). */
export function dmarcRecord({ name }: DomainFacts): ExpectedRecord {
  const expected = `v=DMARC1; p=quarantine; rua=mailto:dmarc-reports@${name}`;
  return {
    purpose: 'dmarc',
    type: 'TXT',
    name: `_dmarc.${name}`,
    expected,
    required: true,
    concerns: isDmarc,
    version: 'DMARC1',
    inherit: (resolver) => inheritedPolicy(name, resolver),
    missing: {
      severity: 'error',
      message: 'Without a DMARC record, large providers reject or distrust mail from the domain.',
    },
    async judge(values, resolver) {
      if (values.length > 1) return multiple(values.length, 'DMARC');
      const [record = ''] = values;
      const tags = tagsOf(record);
      if (!tags) {
        const message = `The DMARC record is invalid: ${tagProblem(record)}.`;
        return mismatch('error', message, `Correct that, or replace the record with ${expected}`);
      }
      return (
        invalidTag(tags) ??
        weakPolicy(tags) ??
        (await reportProblem(name, tags, resolver)) ??
        ok(`Receiving servers ${tags.get('p')?.toLowerCase()} mail that isn’t from you.`)
      );
    },
  };
}

/** The policy that a domain's own records ask for. Null without a valid one. */
export function ownPolicy(records: readonly string[]): DmarcPolicy | null {
  const [record, another] = records.filter(isDmarc);
  const tags = record !== undefined && another === undefined ? tagsOf(record) : null;
  return tags && (appliedPolicy(tags, 'own')?.policy ?? null);
}

function invalidTag(tags: Map<string, string>): Verdict | null {
  const found = [...tags].find(([name, value]) => TAGS[name]?.(value) === false);
  if (!found) return null;
  const [name, value] = found;
  return mismatch(
    'error',
    `The DMARC record is invalid: ${name}=${value} isn’t a value of that tag.`,
    `Correct or remove ${name}.`,
  );
}

function weakPolicy(tags: Map<string, string>): Verdict | null {
  const policy = tags.get('p')?.toLowerCase() ?? 'none';
  if (policy === 'none') {
    return mismatch(
      'warning',
      'The policy is none: receiving servers deliver forged mail as usual.',
      'Change p=none to p=quarantine once your own mail passes.',
    );
  }
  if (tags.get('t')?.toLowerCase() !== 'y') return null;
  return mismatch(
    'warning',
    'The policy is only being tested (t=y), so receiving servers don’t apply it in full.',
    'Remove t=y once your own mail passes.',
  );
}

async function reportProblem(domain: string, tags: Map<string, string>, resolver: Resolver): Promise<Verdict | null> {
  const rua = tags.get('rua');
  if (rua === undefined) {
    return mismatch(
      'warning',
      'The DMARC record has no rua, so you get no reports about mail from the domain.',
      `Add rua=mailto:dmarc-reports@${domain}.`,
    );
  }
  const addresses = rua.split(',').filter((uri) => REPORTS.test(uri.trim()));
  if (addresses.length === 0) {
    return mismatch(
      'warning',
      'The DMARC record’s rua has no mailto: address, so you get no reports about mail from the domain.',
      `Add mailto:dmarc-reports@${domain} to rua.`,
    );
  }
  const hosts = addresses.map((uri) => uri.trim().replace(/!.*$/, '').split('@')[1]?.toLowerCase() ?? '');
  // Reports to the same organization need no permission (RFC 9990).
  const foreign = [...new Set(hosts)]
    .filter((host) => !isSameOrganization(host, domain))
    .slice(0, MAX_REPORT_ADDRESSES);
  for (const host of foreign) {
    const authorization = `${domain}._report._dmarc.${host}`;
    if ((await valuesOf(resolver, authorization, 'TXT')).some(isDmarc)) continue;
    return mismatch(
      'warning',
      `${host} doesn’t accept reports about ${domain}, so nobody sends them there.`,
      `Publish the TXT record v=DMARC1 at ${authorization}, or choose an address at ${domain}.`,
    );
  }
  return null;
}
