import { parseAddressOrDomain } from '@/lib/mail/address';
import type { Tx } from '../database/db';
import { Prisma } from '../prisma/client';
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

/**
 * Returns the condition of having exactly this address, which is @ and a domain for a catch-all.
 * @param columns the domain's id and the local part, which an index has
 */
export function hasAddress(text: string, columns: Prisma.Sql): Prisma.Sql {
  const address = parseAddressOrDomain(text);
  if (address === null) return Prisma.sql`false`;
  const [local = '', domain = ''] = address.toLowerCase().split('@');
  return Prisma.sql`(${columns}) = ((SELECT id FROM domain WHERE name = ${domain}), ${local})`;
}

/** Returns a row of a query with its domain as Prisma would return it. */
export function withDomain<Row extends { domainName: string }>({ domainName: name, ...row }: Row) {
  return { ...row, domain: { name } };
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
