import { parseAddress } from '@/lib/mail/address';
import type { Tx } from '@/server/db';
import type { Prisma } from '@/server/prisma/client';

/** One filter for each possible meaning of a search text, each with its own index: address, Message-ID, queue id, words. */
export async function searchFilters(db: Tx, text: string): Promise<Prisma.MessageWhereInput[]> {
  const address = parseAddress(text)?.address;
  // A Message-ID pasted without its angle brackets looks like an address.
  const messageId = text.startsWith('<') ? text : `<${text}>`;
  if (address) return [{ fromAddress: address }, { recipients: { some: { address } } }, { messageId }];
  const words = subjectFilter(await searchKey(db, text));
  return [...(words ? [words] : []), { messageId }, { queueId: text }];
}

// The index holds trigrams, with word boundaries as characters. A text without a trigram is matched at the start of words;
// one without a letter or digit matches nothing.
function subjectFilter(key: string): Prisma.MessageWhereInput | null {
  const pattern = key.replace(/[\\%_]/g, '\\$&');
  if (HAS_TRIGRAM.test(key)) return { subjectKey: { contains: pattern } };
  return /[a-z0-9]/.test(key) ? { subjectKey: { contains: ` ${pattern}` } } : null;
}

// Non-ASCII text must be folded by Postgres, as in the indexed column.
async function searchKey(db: Tx, text: string): Promise<string> {
  if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase();
  const [row] = await db.$queryRaw<{ key: string }[]>`SELECT search_key(${text}) AS key`;
  return row?.key ?? '';
}

const HAS_TRIGRAM = /[a-z0-9]{3}|[a-z0-9]{2}[^a-z0-9]|[^a-z0-9][a-z0-9]/;
