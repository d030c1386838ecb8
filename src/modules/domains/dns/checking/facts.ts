import { getServers } from 'node:dns';
import type { ShownRelay } from '@/mail/agent/requests';
import type { Tx } from '@/server/database/db';
import type { DnsServer } from '@/server/dns/resolver';
import type { Prisma } from '@/server/prisma/client';
import { env } from '@/server/settings/env';
import { dkimRecordValue } from '../../dkim/keys';
import type { DomainFacts } from '../records/record';

const DNS_PORT = 53;
const MAX_DKIM_KEYS = 20;

/** Returns the facts that the records of a domain depend on; null if the domain no longer exists. */
export async function factsOf(db: Tx, domainId: string): Promise<DomainFacts | null> {
  const [domain, mailHost, relayHost] = await Promise.all([
    db.domain.findUnique({ where: { id: domainId }, select: FIELDS }),
    mailHostName(db),
    findRelayHost(db),
  ]);
  return (
    domain && {
      name: domain.name,
      mailHost,
      appHost: new URL(env().appUrl).hostname,
      mtaStsMode: domain.mtaStsMode,
      otherMxHosts: domain.otherMxHosts,
      dkimKeys: domain.dkimKeys.map((key) => ({
        selector: key.selector,
        status: key.status,
        value: dkimRecordValue(key),
      })),
      ownershipToken: domainId,
      certificateIssuer: env().certificateIssuer,
      relaySpf: env().relaySpf ?? null,
      relayHost,
    }
  );
}

/** The host name under which other servers and mail programs reach the mail server. */
export async function mailHostName(db: Tx): Promise<string> {
  const given = env().mailHost;
  if (given) return given;
  const agent = await db.mailAgent.findFirst({ orderBy: { beatAt: 'desc' }, select: { host: true } });
  return agent?.host ?? (await findEarlierMailHost(db)) ?? new URL(env().appUrl).hostname;
}

/** An agent that is stopped has left the position of its host's mail log. */
async function findEarlierMailHost(db: Tx): Promise<string | null> {
  const suffix = ' log';
  const where = { source: { endsWith: suffix } };
  const cursor = await db.mailCursor.findFirst({ where, orderBy: { completeSince: 'desc' }, select: { source: true } });
  return cursor?.source.slice(0, -suffix.length) ?? null;
}

async function findRelayHost(db: Tx): Promise<string | null> {
  const agent = await db.mailAgent.findFirst({ orderBy: { beatAt: 'desc' }, select: { relay: true } });
  return (agent?.relay as ShownRelay | null | undefined)?.destination ?? null;
}

const FIELDS = {
  name: true,
  mtaStsMode: true,
  otherMxHosts: true,
  dkimKeys: {
    // Pending and active ones first; older retired ones no longer matter.
    orderBy: [{ status: 'asc' }, { createdAt: 'desc' }],
    take: MAX_DKIM_KEYS,
    select: { selector: true, status: true, algorithm: true, publicKey: true },
  },
} satisfies Prisma.DomainSelect;

/** `DNS_SERVERS`, or those of the operating system. */
export function dnsServers(): DnsServer[] {
  const given = env().dnsServers;
  return (given.length > 0 ? given : getServers()).map(toServer);
}

function toServer(text: string): DnsServer {
  const [, bracketed, bracketedPort] = /^\[([^\]]+)\](?::(\d+))?$/.exec(text) ?? [];
  if (bracketed) return { address: bracketed, port: Number(bracketedPort ?? DNS_PORT) };
  const [, address, port] = /^([\d.]+):(\d+)$/.exec(text) ?? [];
  return address ? { address, port: Number(port) } : { address: text, port: DNS_PORT };
}
