'use client';

import { splitDestinations } from '@/lib/mail/destinations';
import { trpc } from '../api/trpc';

export type AddressMatch = {
  kind: 'mailbox' | 'alias';
  id: string;
  address: string;
  /** Whether it is a mailbox that can't send. */
  suspended: boolean;
  note: string;
  href: string;
};

/** Enough to have those that begin with the text, which the API lists among all that contain it. */
const MAX_MATCHES = 25;
/** A domain admin's aliases are searched one domain at a time, up to this many. */
const MAX_DOMAINS = 10;

/** Mailboxes and aliases whose address, name or destination contains `q`. */
export function useAddressSearch(q: string): { matches: AddressMatch[]; isLoading: boolean; isSearching: boolean } {
  const me = trpc.auth.me.useQuery({}, { staleTime: 60_000 });
  const enabled = q !== '';
  const mailboxes = trpc.mailboxes.list.useQuery(
    { q, limit: MAX_MATCHES, sort: 'local_part', order: 'asc' },
    { enabled },
  );
  const requiresDomain = me.data && me.data.role === 'domain_admin';
  const domains = trpc.domains.list.useQuery(
    { limit: MAX_DOMAINS, sort: 'name', order: 'asc' },
    { enabled: enabled && requiresDomain === true, staleTime: 60_000 },
  );
  const domainIds = requiresDomain ? (domains.data?.items.map(({ id }) => id) ?? []) : [undefined];
  const aliases = trpc.useQueries((t) =>
    domainIds.map((domain_id) =>
      t.aliases.list(
        { q, limit: MAX_MATCHES, sort: 'source_local_part', order: 'asc', domain_id },
        { enabled: enabled && requiresDomain !== undefined },
      ),
    ),
  );
  if (!enabled) return { matches: [], isLoading: false, isSearching: false };
  const queries = [mailboxes, domains, ...aliases];
  const isLoading = queries.some((query) => query.isLoading);
  const isSearching = queries.some(({ isFetching }) => isFetching);
  const matches = [
    ...(mailboxes.data?.items ?? []).map(({ id, email, suspended, active }) => ({
      kind: 'mailbox' as const,
      id,
      suspended,
      address: email,
      note: suspended ? 'Mailbox, suspended' : active ? 'Mailbox' : 'Mailbox, inactive',
      href: `/mailboxes/${id}`,
    })),
    ...aliases
      .flatMap(({ data }) => data?.items ?? [])
      .slice(0, MAX_MATCHES)
      .map(({ id, address, source_local_part: source, destination, active }) => ({
        kind: 'alias' as const,
        id,
        suspended: false,
        address,
        note: `${address.includes(q.toLowerCase()) ? kindOf(source) : matchingDestination(destination, q)}${active ? '' : ', inactive'}`,
        href: `/aliases?edit=${id}`,
      })),
  ];
  return { matches, isLoading, isSearching };
}

function kindOf(source: string): string {
  return source ? 'Alias' : 'Catch-all';
}

/** Shows which destination matched when the alias's own address didn't. */
function matchingDestination(destination: string, q: string): string {
  const found = splitDestinations(destination).find((address) => address.toLowerCase().includes(q.toLowerCase()));
  return `Delivers to ${found ?? destination}`;
}
