import type { Tx } from '../database/db';
import { Prisma } from '../prisma/client';

/** A column of search keys, which has a trigram index. */
export type KeyColumn = { table: string; column: Prisma.Sql };

/** LIKE patterns for a column of search keys, all to match, and what its index knows of them: which letter triples they contain. */
export type Words = { patterns: string[]; trigrams: string[] };

/**
 * The search key of a text, as in the indexed columns (prisma/functions/directory/search_key.sql): lower case, other characters than
 * ASCII as code points. Postgres folds those, so that both sides agree.
 */
export async function searchKey(db: Tx, text: string): Promise<string> {
  if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase();
  const [row] = await db.$queryRaw<{ key: string }[]>`SELECT search_key(${text}) AS key`;
  return row?.key ?? '';
}

/**
 * The index holds trigrams, with word boundaries as characters. A text without a trigram is matched at the start of words;
 * one without a letter or digit matches nothing.
 */
export function wordsOf(key: string): Words | null {
  const words = key.match(/[a-z0-9]+/g) ?? [];
  const [shortest] = HAS_TRIGRAM.exec(key) ?? [];
  if (shortest === undefined)
    return words[0] ? { patterns: [`% ${escapeLike(key)}%`], trigrams: [` ${words[0]}`] } : null;
  const trigrams = words.flatMap(trigramsOf);
  return { patterns: [`%${escapeLike(key)}%`], trigrams: trigrams.length > 0 ? trigrams : [shortest] };
}

/** Each word of a text on its own, in any order and place. Words without a letter or digit are left out. */
export function eachWordOf(key: string): Words | null {
  const words = key.split(/\s+/).flatMap((word) => wordsOf(word) ?? []);
  if (words.length === 0) return null;
  const unique = (texts: string[]) => [...new Set(texts)];
  return {
    patterns: unique(words.flatMap(({ patterns }) => patterns)),
    trigrams: unique(words.flatMap(({ trigrams }) => trigrams)),
  };
}

/** As conditions on one column, which its index takes together. */
export function matching({ patterns }: Words, column: Prisma.Sql): Prisma.Sql[] {
  return patterns.map((pattern) => Prisma.sql`${column} LIKE ${pattern}`);
}

function trigramsOf(word: string): string[] {
  return Array.from({ length: Math.max(word.length - 2, 0) }, (_, start) => word.slice(start, start + 3));
}

export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}

const HAS_TRIGRAM = /[a-z0-9]{3}|[a-z0-9]{2}[^a-z0-9]|[^a-z0-9][a-z0-9]/;
