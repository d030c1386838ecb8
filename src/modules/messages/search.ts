import { parseAddress } from '@/lib/address';
import type { Tx } from '@/server/db';
import type { Prisma } from '@/server/prisma/client';

/** What a searched text may be, each with an index of its own: an address, a message id, a queue id, words. */
export async function searchFilters(db: Tx, text: string): Promise<Prisma.MessageWhereInput[]> {
  const address = parseAddress(text)?.address;
  // A message id may be pasted without its angle brackets, and then it looks like an address.
  const messageId = text.startsWith('<') ? text : `<${text}>`;
  if (address) return [{ fromAddress: address }, { recipients: { some: { address } } }, { messageId }];
  const words = subjectFilter(await searchKey(db, text));
  return [...(words ? [words] : []), { messageId }, { queueId: text }];
}

// The index holds runs of three letters, the start and end of a word counting as letters. A text without any such run is
// looked for where words start; one without a letter is in no word.
function subjectFilter(key: string): Prisma.MessageWhereInput | null {
  const pattern = key.replace(/[\\%_]/g, '\\$&');
  if (HAS_TRIGRAM.test(key)) return { subjectKey: { contains: pattern } };
  return /[a-z0-9]/.test(key) ? { subjectKey: { contains: ` ${pattern}` } } : null;
}

// Postgres folds other letters than ASCII its own way, so that it is asked.
async function searchKey(db: Tx, text: string): Promise<string> {
  if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase();
  const [row] = await db.$queryRaw<{ key: string }[]>`SELECT search_key(${text}) AS key`;
  return row?.key ?? '';
}

const HAS_TRIGRAM = /[a-z0-9]{3}|[a-z0-9]{2}[^a-z0-9]|[^a-z0-9][a-z0-9]/;
