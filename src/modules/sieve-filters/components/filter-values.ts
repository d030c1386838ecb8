import type { SieveFilter, SieveScope } from '../schema';

export const SCOPE_WORDS: Record<SieveScope, string> = {
  global: 'All mail',
  domain: 'A domain',
  mailbox: 'A mailbox',
};

const SCOPES = Object.keys(SCOPE_WORDS);

/** Whose mail it runs for, in one name: filters that share it run one after the other. */
export function placeOf({ scope, domain, mailbox }: Pick<SieveFilter, 'scope' | 'domain' | 'mailbox'>): string {
  if (scope === 'global') return SCOPE_WORDS.global;
  return (scope === 'domain' ? domain : mailbox) ?? SCOPE_WORDS[scope];
}

/** As the mail server runs them: for all mail, then of domains, then of mailboxes, each place by position and age. */
export function inOrder(filters: SieveFilter[]): SieveFilter[] {
  return filters.toSorted(
    (a, b) =>
      SCOPES.indexOf(a.scope) - SCOPES.indexOf(b.scope) ||
      placeOf(a).localeCompare(placeOf(b)) ||
      a.position - b.position ||
      a.created_at.localeCompare(b.created_at) ||
      a.id.localeCompare(b.id),
  );
}

export function sharing(filters: SieveFilter[], { scope, domain_id, mailbox_id }: SieveFilter): SieveFilter[] {
  return filters.filter(
    (other) => other.scope === scope && (other.domain_id ?? other.mailbox_id) === (domain_id ?? mailbox_id),
  );
}

/** The filters whose position changes, with their new one, when this one goes a place up or down. */
export function moved(filters: SieveFilter[], filter: SieveFilter, by: -1 | 1): { id: string; position: number }[] {
  const order = inOrder(sharing(filters, filter));
  const from = order.findIndex(({ id }) => id === filter.id);
  const other = order[from + by];
  if (!other) return [];
  order[from + by] = filter;
  order[from] = other;
  return order.flatMap(({ id, position }, index) => (position === index + 1 ? [] : [{ id, position: index + 1 }]));
}

const LOSING = /\b(e?reject|discard)\b/;

/** Whether it may refuse mail or throw it away; what stands in a comment or a text counts too. */
export function mayLoseMail(script: string): boolean {
  return LOSING.test(script);
}
