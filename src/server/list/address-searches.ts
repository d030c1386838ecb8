import type { Tx } from '../db';
import type { Search } from './find-page';
import { escapeLike, searchKey, type Words, wordsOf } from './search-key';
import type { Selection } from './select-page';

/**
 * The meanings of a text in a search for mailboxes or aliases: a part of the search key, or, with an @, the end of a local
 * part and the start of its domain. Search keys start with a line of the local part.
 */
export async function addressSearches(db: Tx, text: string | undefined, selection: Selection): Promise<Search[]> {
  if (!text) return [{ selection }];
  const key = await searchKey(db, text);
  const words = wordsOf(key);
  const anywhere = words ? [{ selection, words }] : [];
  const [local = '', domain] = key.split('@');
  if (domain === undefined) return anywhere;
  return [...anywhere, { selection: await inDomainsOf(db, selection, domain), words: endOf(local) }];
}

async function inDomainsOf(db: Tx, selection: Selection, start: string): Promise<Selection> {
  if (start === '') return selection;
  const { column, ids } = selection.domains;
  const where = { AND: [{ name: { startsWith: escapeLike(start) } }, ids ? { id: { in: ids } } : {}] };
  const domains = await db.domain.findMany({ where, select: { id: true } });
  return { ...selection, domains: { column, ids: domains.map(({ id }) => id) } };
}

function endOf(local: string): Words | undefined {
  const { trigrams = [local] } = wordsOf(local) ?? {};
  return local === '' ? undefined : { patterns: [`%${escapeLike(local)}\n%`], trigrams };
}
