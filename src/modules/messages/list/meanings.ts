import { parseSearchedAddress } from '@/lib/mail/address';
import { withBrackets } from '@/lib/mail/message-id';
import type { Tx } from '@/server/database/db';
import { searchKey, type Words, wordsOf } from '@/server/list/search-key';
import { Prisma } from '@/server/prisma/client';

/** One meaning of a search text: a Message-ID or queue id, the sender, a recipient, or a part of an address or subject. */
export type Meaning = { named?: Prisma.Sql; sender?: string; recipient?: string; words?: Words };

/** One for each thing that the whole text can be, each with its own index: an address, a Message-ID, a queue id. */
export function exactMeanings(text: string): Meaning[] {
  const meanings: Meaning[] = [];
  const address = parseSearchedAddress(text)?.address;
  if (address) meanings.push({ sender: address }, { recipient: address });
  // A Message-ID pasted without its angle brackets looks like an address.
  const messageId = withBrackets(text);
  if (messageId.includes('@')) meanings.push({ named: Prisma.sql`m.message_id = ${messageId}` });
  if (/^\w+$/.test(text)) meanings.push({ named: Prisma.sql`m.queue_id = ${text}` });
  return meanings;
}

/** The text as a part of an address or of the subject. */
export async function partMeanings(db: Tx, text: string): Promise<Meaning[]> {
  const words = wordsOf(await searchKey(db, text));
  return words ? [{ words }] : [];
}
