import { parseAddress } from '@/lib/mail/address';
import type { Tx } from '@/server/db';
import { searchKey, type Words, wordsOf } from '@/server/list/search-key';
import { Prisma } from '@/server/prisma/client';

/** One meaning of a search text: a Message-ID or queue id, the sender, a recipient, or words in the subject. */
export type Meaning = { named?: Prisma.Sql; sender?: string; recipient?: string; words?: Words };

/** One for each possible meaning, each with its own index: address, Message-ID, queue id, words. */
export async function meaningsOf(db: Tx, text: string): Promise<Meaning[]> {
  const address = parseAddress(text)?.address;
  // A Message-ID pasted without its angle brackets looks like an address.
  const messageId = { named: Prisma.sql`m.message_id = ${text.startsWith('<') ? text : `<${text}>`}` };
  if (address) return [{ sender: address }, { recipient: address }, messageId];
  const words = wordsOf(await searchKey(db, text));
  return [...(words ? [{ words }] : []), messageId, { named: Prisma.sql`m.queue_id = ${text}` }];
}
