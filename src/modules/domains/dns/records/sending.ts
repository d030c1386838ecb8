import { spf } from 'mailauth/lib/spf';
import type { RecordType, Resolver } from '@/server/dns/resolver';
import { addressesOf } from './mail-host';
import { type DomainFacts, type ExpectedRecord, mismatch, multiple, ok, tagsOf, type Verdict } from './record';

const EXPECTED_SPF = 'v=spf1 mx -all';
const POLICIES = new Set(['none', 'quarantine', 'reject']);

/** SPF: evaluated for each address of the mail server, as receiving servers do. */
export function spfRecord({ name, mailHost }: DomainFacts): ExpectedRecord {
  return {
    purpose: 'spf',
    type: 'TXT',
    name,
    expected: EXPECTED_SPF,
    required: true,
    concerns: (value) => /^v=spf1(\s|$)/i.test(value),
    missing: {
      severity: 'error',
      message: 'Without an SPF record, receiving servers can’t tell your mail from forged mail.',
    },
    async judge(values, resolver) {
      const [value = ''] = values;
      if (values.length > 1) return multiple(values.length, 'SPF');
      if (!/\s[-~]all\s*$|\sredirect=/i.test(value)) {
        return mismatch('error', 'The SPF record lets every server send for the domain.', 'End the record with -all.');
      }
      for (const address of await addressesOf(resolver, mailHost)) {
        const result = await spfResult(address, { name, mailHost }, resolver);
        if (result === 'pass') continue;
        return spfFailure(result, address);
      }
      return ok('Your mail server may send for the domain, and others may not.');
    },
  };
}

function spfFailure(result: string, address: string): Verdict {
  if (result === 'temperror') {
    const message = 'A name in the SPF record could not be looked up.';
    return { status: 'temporary_error', severity: 'warning', message, fix: null };
  }
  return result === 'permerror'
    ? mismatch(
        'error',
        'The SPF record is invalid or needs more than 10 lookups.',
        `Simplify it, for example to ${EXPECTED_SPF}.`,
      )
    : mismatch(
        'error',
        `The SPF record doesn’t allow your mail server to send from ${address}.`,
        'Add mx to the record, before all.',
      );
}

async function spfResult(
  ip: string,
  { name, mailHost }: Pick<DomainFacts, 'name' | 'mailHost'>,
  resolver: Resolver,
): Promise<string> {
  const { status } = await spf({
    ip,
    sender: `postmaster@${name}`,
    helo: mailHost,
    mta: mailHost,
    resolver: (host: string, type: string) => resolveAsNode(resolver, host, type as RecordType),
  });
  return status.result;
}

/** A lookup in the form of `dns.promises.resolve`, whose errors have a code. */
async function resolveAsNode(resolver: Resolver, host: string, type: RecordType): Promise<string[]> {
  const found = await resolver.lookup(host, type);
  if (found.status !== 'found') {
    const code = found.status === 'missing' ? 'ENOTFOUND' : 'ETIMEOUT';
    throw Object.assign(new Error(code), { code });
  }
  const values: unknown = found.values.map((value) => {
    const [priority = '0', exchange = ''] = value.split(' ');
    if (type === 'MX') return { priority: Number(priority), exchange };
    return type === 'TXT' ? [value] : value;
  });
  // The type of mailauth knows no MX.
  return values as string[];
}

/** DKIM: the published key is the one that signs. Retired keys need no record. */
export function dkimRecords({ name, dkimKeys }: DomainFacts): ExpectedRecord[] {
  return dkimKeys
    .filter(({ status }) => status !== 'retired')
    .map(({ selector, status, value: expected }) => ({
      purpose: 'dkim',
      type: 'TXT',
      name: `${selector}._domainkey.${name}`,
      expected,
      required: status === 'active',
      missing: {
        severity: status === 'active' ? 'error' : 'warning',
        message:
          status === 'active'
            ? 'The key that signs your mail isn’t published, so receiving servers can’t verify the signatures.'
            : 'The pending key isn’t published yet. Publish it before you activate it.',
      },
      judge(values) {
        if (values.length > 1) return multiple(values.length, 'DKIM');
        const [published, wanted] = [values[0] ?? '', expected].map((text) => keyOf(text));
        if (published === wanted) return ok('The published key is the one that signs.');
        return published === null
          ? mismatch('error', 'The DKIM record has no valid key.', 'Replace the record’s value.')
          : mismatch('error', 'The published key is not the one that signs.', 'Replace the record’s value.');
      },
    }));
}

/** Algorithm and key of a DKIM record; spaces in the key don't matter (RFC 6376, 3.6.1). */
function keyOf(text: string): string | null {
  const tags = tagsOf(text);
  if (!tags || (tags.get('v') ?? 'DKIM1') !== 'DKIM1' || !tags.get('p')) return null;
  return `${tags.get('k') ?? 'rsa'} ${tags.get('p')?.replace(/\s/g, '')}`;
}

/** DMARC: one valid policy (RFC 9989). */
export function dmarcRecord({ name }: DomainFacts): ExpectedRecord {
  const expected = 'v=DMARC1; p=quarantine';
  return {
    purpose: 'dmarc',
    type: 'TXT',
    name: `_dmarc.${name}`,
    expected,
    required: true,
    concerns: (value) => /^v\s*=\s*DMARC1(\s*;|\s*$)/i.test(value),
    missing: {
      severity: 'error',
      message: 'Without a DMARC record, large providers reject or distrust mail from the domain.',
    },
    judge(values) {
      if (values.length > 1) return multiple(values.length, 'DMARC');
      const tags = tagsOf(values[0] ?? '');
      const policy = tags?.get('p')?.toLowerCase() ?? 'none';
      if (!tags || !POLICIES.has(policy))
        return mismatch('error', 'The DMARC record is invalid.', `Replace it with ${expected}.`);
      if (policy !== 'none') return ok(`Receiving servers ${policy} mail that isn’t from you.`);
      return mismatch(
        'warning',
        'The policy is none: receiving servers deliver forged mail as usual.',
        'Change p=none to p=quarantine once your own mail passes.',
      );
    },
  };
}

export function ownershipRecord({ name, ownershipToken }: DomainFacts): ExpectedRecord {
  const expected = `postroom-verify=${ownershipToken}`;
  return {
    purpose: 'ownership',
    type: 'TXT',
    name: `_postroom.${name}`,
    expected,
    required: false,
    concerns: (value) => value.startsWith('postroom-verify='),
    missing: { severity: 'info', message: 'This record proves that the domain is yours. Mail works without it.' },
    judge: (values) =>
      values.includes(expected)
        ? ok('The domain is verified.')
        : mismatch('warning', 'The record has the token of another server or domain.', 'Replace the record’s value.'),
  };
}
