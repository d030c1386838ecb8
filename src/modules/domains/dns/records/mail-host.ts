import ipaddr from 'ipaddr.js';
import type { Resolver } from '@/server/dns/resolver';
import { type DomainFacts, type ExpectedRecord, mismatch, ok, valuesOf } from './record';

const NULL_MX = '.';

/** MX: every target is this mail server. */
export function mxRecord({ name, mailHost }: DomainFacts): ExpectedRecord {
  const fix = `Replace them with one MX record: 10 ${mailHost}.`;
  return {
    purpose: 'mx',
    type: 'MX',
    name,
    expected: `10 ${mailHost}`,
    required: true,
    missing: {
      severity: 'error',
      message: 'There is no MX record, so other servers don’t know where to deliver mail.',
    },
    async judge(values, resolver) {
      const targets = values.map((value) => value.split(' ')[1] ?? '');
      if (targets.includes(NULL_MX)) {
        return mismatch('error', 'The MX record says that the domain accepts no mail.', fix);
      }
      const own = new Set(await addressesOf(resolver, mailHost));
      for (const target of targets) {
        if ((await valuesOf(resolver, target, 'CNAME')).length > 0) {
          return mismatch(
            'error',
            `The MX record points to ${target}, which is a CNAME. Some servers reject that.`,
            fix,
          );
        }
        const addresses = await addressesOf(resolver, target);
        const isOwn = target === mailHost || (addresses.length > 0 && addresses.every((address) => own.has(address)));
        if (isOwn) continue;
        const isUnknown = addresses.length === 0;
        const where = isUnknown ? `${target}, which has no address` : `${target}, which is another server`;
        return mismatch('error', `The MX record points to ${where}.`, fix);
      }
      return ok(`Mail for ${name} is delivered to your mail server.`);
    },
  };
}

/** The addresses of the mail server, and the name that each of them has. */
export function hostRecords({ mailHost }: DomainFacts, addresses: readonly string[]): ExpectedRecord[] {
  return [
    {
      purpose: 'host',
      type: 'A',
      name: mailHost,
      expected: null,
      required: true,
      missing: {
        severity: 'error',
        message: 'The name of your mail server has no IPv4 address. Publish an A record with the server’s address.',
      },
      judge: (values) => ok(`Your mail server is found at ${values.join(', ')}.`),
    },
    ...addresses.map(
      (address): ExpectedRecord => ({
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
      }),
    ),
  ];
}

/** Where mail programs find the mail server (RFC 6186, RFC 8314). */
export function serviceRecords({ name, mailHost }: DomainFacts): ExpectedRecord[] {
  return [
    ['_submissions._tcp', 465, 'send mail'],
    ['_imaps._tcp', 993, 'read mail'],
  ].map(([service, port, purpose]): ExpectedRecord => {
    const expected = `0 1 ${port} ${mailHost}`;
    return {
      purpose: 'srv',
      type: 'SRV',
      name: `${service}.${name}`,
      expected,
      required: false,
      missing: {
        severity: 'info',
        message: `With this record, mail programs find out by themselves where to ${purpose}.`,
      },
      judge: (values) =>
        values.some((value) => value.endsWith(` ${port} ${mailHost}`))
          ? ok(`Mail programs find out where to ${purpose}.`)
          : mismatch('warning', `Mail programs are sent elsewhere to ${purpose}.`, `Change the record to ${expected}.`),
    };
  });
}

export async function addressesOf(resolver: Resolver, host: string): Promise<string[]> {
  const [four, six] = await Promise.all([valuesOf(resolver, host, 'A'), valuesOf(resolver, host, 'AAAA')]);
  return [...four, ...six];
}

function reverseName(address: string): string {
  const parsed = ipaddr.parse(address);
  if (parsed.kind() === 'ipv4') return `${parsed.toByteArray().reverse().join('.')}.in-addr.arpa`;
  const nibbles = parsed.toByteArray().flatMap((byte) => [byte >> 4, byte & 15]);
  return `${nibbles
    .reverse()
    .map((nibble) => nibble.toString(16))
    .join('.')}.ip6.arpa`;
}
