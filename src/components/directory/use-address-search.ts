'use client';

import { keepPreviousData } from '@tanstack/react-query';
import { trpc } from '../api/trpc';
import { useDomainScope } from './use-domain-scope';

export type AddressMatch = { kind: 'mailbox' | 'alias'; address: string; end: string; href: string };

const MAX_MATCHES = 5;
/** A domain_admin asks for the aliases of each of its domains, up to as many. */
const MAX_DOMAINS = 10;

/** The mailboxes and aliases whose address, name or destination has `q` in it. */
export function useAddressSearch(q: string): AddressMatch[] {
  const reach = useDomainScope();
  const enabled = q !== '';
  const mailboxes = trpc.mailboxes.list.useQuery(
    { q, limit: MAX_MATCHES, sort: 'local_part', order: 'asc' },
    { enabled, placeholderData: keepPreviousData },
  );
  const asked = reach.mustName ? reach.domains.slice(0, MAX_DOMAINS).map(({ id }) => id) : [undefined];
  const aliases = trpc.useQueries((t) =>
    asked.map((domain_id) =>
      t.aliases.list(
        { q, limit: MAX_MATCHES, sort: 'source_local_part', order: 'asc', domain_id },
        { enabled: enabled && reach.mustName !== undefined, placeholderData: keepPreviousData },
      ),
    ),
  );
  if (!enabled) return [];
  return [
    ...(mailboxes.data?.items ?? []).map(({ id, email, suspended, active }) => ({
      kind: 'mailbox' as const,
      address: email,
      end: suspended ? 'Mailbox, suspended' : active ? 'Mailbox' : 'Mailbox, off',
      href: `/mailboxes/${id}`,
    })),
    ...aliases
      .flatMap(({ data }) => data?.items ?? [])
      .slice(0, MAX_MATCHES)
      .map(({ id, address, source_local_part: source, destination, active }) => ({
        kind: 'alias' as const,
        address,
        end: `${address.includes(q.toLowerCase()) ? kindOf(source) : matchingDestination(destination, q)}${active ? '' : ', off'}`,
        href: `/aliases?edit=${id}`,
      })),
  ];
}

function kindOf(source: string): string {
  return source ? 'Alias' : 'Catch-all';
}

/** Says why an alias was found whose own address does not show it. */
function matchingDestination(destination: string, q: string): string {
  const found = destination.split(',').find((address) => address.toLowerCase().includes(q.toLowerCase()));
  return `Leads to ${found ?? destination}`;
}
