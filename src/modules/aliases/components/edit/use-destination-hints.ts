'use client';

import { useDebouncedValue } from '@mantine/hooks';
import { trpc } from '@/components/api/trpc';
import { parseAddress } from '@/lib/mail/address';

const DEBOUNCE_MS = 200;
const MAX_SUGGESTED = 8;
/** Domains whose name contains that of another one. */
const MAX_ALIKE = 20;
const STALE_MS = 60_000;

type Hints = {
  /** Mailboxes that match what is being typed. Aliases can't deliver to aliases. */
  suggested: string[];
  /** Why mail to some of the addresses would be rejected here, by address. */
  dead: { address: string; explanation: string }[];
};

/** Helps while destinations are entered: mailboxes to choose from, and addresses of managed domains that nobody has. */
export function useDestinationHints(addresses: readonly string[], draft: string): Hints {
  const [q] = useDebouncedValue(draft.trim(), DEBOUNCE_MS);
  const mailboxes = trpc.mailboxes.list.useQuery(
    { q, limit: MAX_SUGGESTED, sort: 'local_part', order: 'asc' },
    { enabled: q !== '', staleTime: STALE_MS },
  );
  // The typed one, too, once it is an address: it is saved like the others.
  const parsed = [...new Set([...addresses, q])].flatMap((address) => parseAddress(address) ?? []);
  const names = [...new Set(parsed.map(({ domain }) => domain))];
  // Others are none of ours, and asking about them is an error.
  const domains = trpc.useQueries((t) =>
    names.map((name) => t.domains.list({ q: name, limit: MAX_ALIKE }, { staleTime: STALE_MS })),
  );
  const managed = new Set(domains.flatMap(({ data }) => data?.items.map(({ name }) => name) ?? []));
  const local = parsed.filter(({ domain }) => managed.has(domain)).map(({ address }) => address);
  const resolutions = trpc.useQueries((t) =>
    local.map((address) => t.aliases.resolve({ address }, { staleTime: STALE_MS, retry: false })),
  );
  const dead = resolutions.flatMap(({ data }, index) => {
    const address = local[index];
    return data?.outcome === 'rejected' && address ? [{ address, explanation: data.explanation }] : [];
  });
  return { suggested: (q !== '' && mailboxes.data?.items.map(({ email }) => email)) || [], dead };
}
