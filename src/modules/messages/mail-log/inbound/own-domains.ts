import { parseAddress } from '@/lib/mail/address';
import { isComplaintAddress, isUnsubscribeAddress } from '@/lib/mail/report-addresses';
import { reportKindOf } from '@/modules/reports/service';
import type { Tx } from '@/server/database/db';
import { domainOf } from '../../inbound/header';

export type Addressed = { recipient: string; addressedTo: string };

/** Ids of the managed domains among the given addresses, by domain name. */
export async function findDomainIds(db: Tx, addressed: readonly Addressed[]): Promise<Map<string, string>> {
  const addresses = addressed.flatMap(({ recipient, addressedTo }) => [recipient, addressedTo]);
  const names = new Set(addresses.map((address) => domainOf(address).toLowerCase()));
  if (names.size === 0) return new Map();
  const domains = await db.$queryRaw<{ id: string; name: string }[]>`/* prepared */
    SELECT id, name FROM domain WHERE name = ANY (${[...names]}::text[])`;
  return new Map(domains.map(({ id, name }) => [name, id]));
}

function isReadByAgent(address: string): boolean {
  return isComplaintAddress(address) || isUnsubscribeAddress(address);
}

/** Returns the addresses whose mail went to the agent, which has stored the reports in it. */
export async function findReportAddresses(db: Tx, addresses: readonly string[]): Promise<Set<string>> {
  const candidates = addresses.filter(
    (address) => isReadByAgent(address) || reportKindOf(parseAddress(address)?.local ?? ''),
  );
  if (candidates.length === 0) return new Set();
  const rows = await db.$queryRaw<{ address: string }[]>`
    SELECT address FROM unnest(${candidates}::text[]) AS address
      CROSS JOIN LATERAL mta.report_transport(split_part(address, '@', 1), split_part(address, '@', 2))`;
  return new Set(rows.map(({ address }) => address));
}
