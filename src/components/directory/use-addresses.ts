'use client';

import { keepPreviousData } from '@tanstack/react-query';
import { trpc } from '../api/trpc';
import { useReach } from './use-reach';

export type Address = { kind: 'mailbox' | 'alias'; address: string; end: string; href: string };

const MOST = 5;
/** A domain_admin asks for the aliases of each of its domains, up to as many. */
const MOST_DOMAINS = 10;

/** The mailboxes and aliases whose address, name or destination has `q` in it. */
export function useAddresses(q: string): Address[] {
  const reach = useReach();
  const enabled = q !== '';
  const mailboxes = trpc.mailboxes.list.useQuery(
    { q, limit: MOST, sort: 'local_part', order: 'asc' },
    { enabled, placeholderData: keepPreviousData },
  );
  const asked = reach.mustName ? reach.domains.slice(0, MOST_DOMAINS).map(({ id }) => id) : [undefined];
  const aliases = trpc.useQueries((t) =>
    asked.map((domain_id) =>
      t.aliases.list(
        { q, limit: MOST, sort: 'source_local_part', order: 'asc', domain_id },
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
      .slice(0, MOST)
      .map(({ id, address, source_local_part: source, destination, active }) => ({
        kind: 'alias' as const,
        address,
        end: `${address.includes(q.toLowerCase()) ? kindOf(source) : leadsTo(destination, q)}${active ? '' : ', off'}`,
        href: `/aliases?edit=${id}`,
      })),
  ];
}

function kindOf(source: string): string {
  return source ? 'Alias' : 'Catch-all';
}

/** Says why an alias was found whose own address does not show it. */
function leadsTo(destination: string, q: string): string {
  const found = destination.split(',').find((address) => address.toLowerCase().includes(q.toLowerCase()));
  return `Leads to ${found ?? destination}`;
}
