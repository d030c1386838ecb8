import type { Resolver } from '@/server/dns/resolver';
import { reverseName } from '@/server/dns/reverse-name';
import {
  addressesOf,
  type DomainFacts,
  type ExpectedRecord,
  hasPublicName,
  mismatch,
  ok,
  type Verdict,
  valuesOf,
} from './record';

const NULL_MX = '.';
const MAX_TARGETS = 10;
const NAME_IT = 'Set MAIL_HOST to the name under which other servers reach it, and restart Postroom.';

/** MX: every target is this mail server. */
export function mxRecord({ name, mailHost }: DomainFacts): ExpectedRecord {
  const isNamed = hasPublicName(mailHost);
  const fix = isNamed ? `Replace them with one MX record: 10 ${mailHost}.` : NAME_IT;
  return {
    purpose: 'mx',
    type: 'MX',
    name,
    expected: isNamed ? `10 ${mailHost}` : null,
    required: true,
    missing: {
      severity: 'error',
      message: 'There is no MX record, so other servers don’t know where to deliver mail.',
    },
    async judge(values, resolver) {
      const targets = targetsOf(values);
      if (targets.includes(NULL_MX)) {
        return mismatch('error', 'The MX record says that the domain accepts no mail.', fix);
      }
      const own = new Set(await addressesOf(resolver, mailHost));
      const problems = await Promise.all(targets.map((target) => problemOf(target, own, resolver)));
      const problem = problems.find((text) => text !== null);
      if (problem) return mismatch('error', problem, fix);
      return ok(`Mail for ${name} is delivered to your mail server.`);
    },
  };
}

/** The first ones, in the order in which other servers try them. Each costs several lookups. */
export function targetsOf(mxValues: readonly string[]): string[] {
  const inOrder = mxValues.toSorted((one, other) => Number.parseInt(one, 10) - Number.parseInt(other, 10));
  return [...new Set(inOrder.map((value) => value.split(' ')[1] ?? ''))].slice(0, MAX_TARGETS);
}

async function problemOf(target: string, own: Set<string>, resolver: Resolver): Promise<string | null> {
  if ((await valuesOf(resolver, target, 'CNAME')).length > 0) {
    return `The MX record points to ${target}, which is a CNAME. Some servers reject that.`;
  }
  const addresses = await addressesOf(resolver, target);
  if (addresses.length === 0) return `The MX record points to ${target}, which has no address.`;
  return addresses.every((address) => own.has(address))
    ? null
    : `The MX record points to ${target}, which is another server.`;
}

/** The addresses of the mail server. IPv6 is optional. */
export function hostRecords({ mailHost }: DomainFacts): ExpectedRecord[] {
  const host = { purpose: 'host', name: mailHost, expected: null } as const;
  if (!hasPublicName(mailHost)) {
    const message = `Your mail server has no public name: it is called ${mailHost}. ${NAME_IT}`;
    const unnamed = { severity: 'error', message } as const;
    return [
      {
        ...host,
        type: 'A',
        required: true,
        missing: unnamed,
        judge: () => ({ ...unnamed, status: 'mismatch', fix: null }),
      },
    ];
  }
  const judge = (values: string[]): Verdict => ok(`Your mail server is found at ${values.join(', ')}.`);
  return [
    {
      ...host,
      type: 'A',
      required: true,
      missing: {
        severity: 'error',
        message: 'The name of your mail server has no IPv4 address. Publish an A record with the server’s address.',
      },
      judge,
    },
    { ...host, type: 'AAAA', required: false, missing: null, judge },
  ];
}

/** The name that each address of the mail server has. */
export function reverseRecords({ mailHost }: DomainFacts, addresses: readonly string[]): ExpectedRecord[] {
  if (!hasPublicName(mailHost)) return [];
  return addresses.map((address) => ({
    purpose: 'ptr',
    type: 'PTR',
    name: reverseName(address),
    expected: mailHost,
    required: true,
    missing: {
      severity: 'error',
      message: `The address ${address} has no name, so many servers reject mail from it. Set it at the provider of the server.`,
    },
    judge: (values) =>
      values.includes(mailHost)
        ? ok(`The address ${address} has the name of your mail server.`)
        : mismatch(
            'warning',
            `The address ${address} has another name than your mail server, which some servers hold against its mail.`,
            `Set the reverse DNS of ${address} to ${mailHost} at the provider of the server.`,
          ),
  }));
}
