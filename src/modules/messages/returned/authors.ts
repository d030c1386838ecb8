import type { Tx } from '@/server/database/db';
import { messageOfBounceAddress } from './bounce-address';

/**
 * Returns the authors of messages by their bounce addresses, also of one whose log isn't read yet. Addresses whose signature is
 * invalid, and those of deleted messages, are left out.
 */
export async function findAuthors(db: Tx, bounceAddresses: readonly string[]): Promise<Map<string, string>> {
  const addresses = new Map<string, string[]>();
  for (const address of bounceAddresses) {
    const id = messageOfBounceAddress(address);
    if (id !== null) addresses.set(id, [...(addresses.get(id) ?? []), address]);
  }
  if (addresses.size === 0) return new Map();
  const rows = await db.$queryRaw<{ id: string; author: string }[]>`
    SELECT sent.id, coalesce(m.from_address, c.address) AS author
      FROM unnest(${[...addresses.keys()]}::uuid[]) sent(id)
      LEFT JOIN message m ON m.id = sent.id
      LEFT JOIN counted_send c ON c.id = sent.id
     WHERE coalesce(m.from_address, c.address) IS NOT NULL`;
  return new Map(rows.flatMap(({ id, author }) => (addresses.get(id) ?? []).map((address) => [address, author])));
}
