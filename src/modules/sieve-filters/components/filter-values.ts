import type { SieveFilter, SieveScope } from '../schema';

export const SCOPE_LABELS: Record<SieveScope, string> = {
  global: 'All mail',
  domain: 'A domain',
  mailbox: 'A mailbox',
};

const SCOPES = Object.keys(SCOPE_LABELS);

/** The name of the filter's scope: all mail, the domain or the mailbox. */
export function scopeNameOf({ scope, domain, mailbox }: Pick<SieveFilter, 'scope' | 'domain' | 'mailbox'>): string {
  if (scope === 'global') return SCOPE_LABELS.global;
  return (scope === 'domain' ? domain : mailbox) ?? SCOPE_LABELS[scope];
}

/** In the mail server's order: for all mail, then domains, then mailboxes, each by position and age. */
export function inRunOrder(filters: SieveFilter[]): SieveFilter[] {
  return filters.toSorted(
    (a, b) =>
      SCOPES.indexOf(a.scope) - SCOPES.indexOf(b.scope) ||
      scopeNameOf(a).localeCompare(scopeNameOf(b)) ||
      a.position - b.position ||
      a.created_at.localeCompare(b.created_at) ||
      a.id.localeCompare(b.id),
  );
}

export function inSameScope(filters: SieveFilter[], { scope, domain_id, mailbox_id }: SieveFilter): SieveFilter[] {
  return filters.filter(
    (other) => other.scope === scope && (other.domain_id ?? other.mailbox_id) === (domain_id ?? mailbox_id),
  );
}

/** The new positions of all filters that change when this one moves up or down. */
export function positionsAfterMove(
  filters: SieveFilter[],
  filter: SieveFilter,
  by: -1 | 1,
): { id: string; position: number }[] {
  const order = inRunOrder(inSameScope(filters, filter));
  const from = order.findIndex(({ id }) => id === filter.id);
  const other = order[from + by];
  if (!other) return [];
  order[from + by] = filter;
  order[from] = other;
  return order.flatMap(({ id, position }, index) => (position === index + 1 ? [] : [{ id, position: index + 1 }]));
}

const REJECT_OR_DISCARD = /\b(e?reject|discard)\b/;

/** Whether the script may reject or discard mail. Also true if the words are in a comment or string. */
export function canLoseMail(script: string): boolean {
  return REJECT_OR_DISCARD.test(script);
}
