import { findKind } from '@/lib/texts/audit-kinds';
import { accessibleDomainIds } from '@/server/access/authorize';
import type { Tx } from '@/server/database/db';
import type { ActorContext } from '@/server/procedures/context';

type Named = { resource: string; details: unknown };

/** The name of what an entry is about, as the entry recorded it: the name after the change, or the last one. */
export function recordedName({ resource, details }: Named): string | null {
  const { before, after, ...others } = details as { before?: unknown; after?: unknown };
  const kind = findKind(resource);
  // An unread bounce, which is no kind of its own, is named by its address.
  const field = kind ? kind.name : 'address';
  for (const part of [after, before, others]) {
    const value = field === null ? null : ((part ?? {}) as Record<string, unknown>)[field];
    if (typeof value === 'string' && value !== '') return value;
  }
  return null;
}

/** The fields of a record that have ids of others, and the kind of these. */
const REFERENCES = {
  domain_id: 'domain',
  domain_ids: 'domain',
  mailbox_id: 'mailbox',
  report_mailbox_id: 'mailbox',
  scoped_domain_ids: 'domain',
} as const;

/** Returns the records that the record of an entry referred to, before or after the change. */
export function referredBy({ details }: Pick<Named, 'details'>): string[] {
  const { before, after } = details as {
    before?: Record<string, unknown> | null;
    after?: Record<string, unknown> | null;
  };
  const referred = [before, after].flatMap((record) =>
    Object.entries(REFERENCES).flatMap(([field, kind]) =>
      [record?.[field] ?? []].flat().flatMap((id) => (typeof id === 'string' ? `${kind}:${id}` : [])),
    ),
  );
  return [...new Set(referred)];
}

/**
 * The current names of what entries are about, by resource. An entry about another domain's record can be in the log of
 * a caller who has no access to that domain, so names are limited to the caller's domains.
 */
export async function currentNames(
  db: Tx,
  actor: ActorContext['actor'] | null,
  resources: string[],
): Promise<Map<string, string>> {
  const asked = [...new Set(resources)].flatMap((resource) => {
    const [, kind, id] = RESOURCE.exec(resource) ?? [];
    return kind && id ? [{ resource, kind, id }] : [];
  });
  if (asked.length === 0) return new Map();
  const ids = actor && accessibleDomainIds(actor);
  const found = await db.$queryRaw<{ resource: string; name: string }[]>`
    SELECT asked.resource, named.name
      FROM jsonb_to_recordset(${JSON.stringify(asked)}::jsonb) AS asked(resource text, kind text, id uuid),
           LATERAL resource_name(asked.kind, asked.id) AS named
     WHERE named.name <> '' AND (${ids}::uuid[] IS NULL OR named.domain_id = ANY (${ids}::uuid[]))`;
  return new Map(found.map(({ resource, name }) => [resource, name]));
}

const RESOURCE = /^([a-z_]+):([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
