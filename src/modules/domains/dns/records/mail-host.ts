import ipaddr from 'ipaddr.js';
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

/** MX: every target is this mail server, or a host that the admin accepts. */
export function mxRecord({ name, mailHost, otherMxHosts }: DomainFacts): ExpectedRecord {
  const isNamed = hasPublicName(mailHost);
  const replace = isNamed ? `Replace them with one MX record: 10 ${mailHost}.` : NAME_IT;
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
        return mismatch('error', 'The MX record says that the domain accepts no mail.', replace);
      }
      const own = new Set(await addressesOf(resolver, mailHost));
      const judged = await Promise.all(targets.map((target) => judgeTarget(target, own, resolver)));
      const broken = judged.find(({ problem }) => problem !== null);
      if (broken?.problem) return mismatch('error', broken.problem, replace);
      const others = judged.filter(({ isOwn }) => !isOwn).map(({ target }) => target.toLowerCase());
      const unknown = others.filter((target) => !otherMxHosts.includes(target));
      if (unknown.length === targets.length) return elsewhere(unknown, replace);
      if (unknown.length > 0) return besides(unknown);
      const through = others.length > 0 ? `, also through ${others.join(', ')}` : '';
      return ok(`Mail for ${name} is delivered to your mail server${through}.`);
    },
  };
}

const ACCEPT = 'add it to the other MX hosts in the domain’s settings.';

function elsewhere(targets: string[], replace: string): Verdict {
  const message = `The MX record points to ${targets.join(', ')}, which is another server.`;
  return mismatch('error', message, `${replace} If that server passes the mail on to yours, ${ACCEPT}`);
}

function besides(targets: string[]): Verdict {
  const message = `The MX records also name ${targets.join(', ')}, which is another server.`;
  return mismatch('warning', message, `If it is your backup or filter, ${ACCEPT} Otherwise remove its MX record.`);
}

/** The first ones, in the order in which other servers try them. Each costs several lookups. */
export function targetsOf(mxValues: readonly string[]): string[] {
  const inOrder = mxValues.toSorted((one, other) => Number.parseInt(one, 10) - Number.parseInt(other, 10));
  return [...new Set(inOrder.map((value) => value.split(' ')[1] ?? ''))].slice(0, MAX_TARGETS);
}

type JudgedTarget = { target: string; problem: string | null; isOwn: boolean };

async function judgeTarget(target: string, own: Set<string>, resolver: Resolver): Promise<JudgedTarget> {
  const broken = (problem: string) => ({
    target,
    problem: `The MX record points to ${target}, which ${problem}`,
    isOwn: false,
  });
  if (ipaddr.isValid(target)) return broken('is an address. An MX record needs the name of a host.');
  if ((await valuesOf(resolver, target, 'CNAME')).length > 0) return broken('is a CNAME. Some servers reject that.');
  const addresses = await addressesOf(resolver, target);
  if (addresses.length === 0) return broken('has no address.');
  return { target, problem: null, isOwn: addresses.every((address) => own.has(address)) };
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
