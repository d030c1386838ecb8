'use client';

import { parseAsIsoDateTime, parseAsString, parseAsStringLiteral } from 'nuqs';
import { parseAsSince, startOf } from '@/components/list/since';
import { parseAsText, sortBy, useListSearch } from '@/components/list/use-list-search';
import { AUDIT_KINDS } from '@/lib/audit-actions';
import { OUTCOMES } from '../schema';

const SEARCH = {
  filters: {
    q: parseAsText,
    domain: parseAsString,
    admin: parseAsString,
    email: parseAsString,
    key: parseAsString,
    action: parseAsString,
    kind: parseAsStringLiteral(AUDIT_KINDS),
    resource: parseAsString,
    ip: parseAsString,
    request: parseAsString,
    outcome: parseAsStringLiteral(OUTCOMES),
    since: parseAsSince,
    until: parseAsIsoDateTime,
  },
  view: { ...sortBy(['created_at'], 'desc'), peek: parseAsString },
  resets: { peek: null },
};

/** Filters by one exact value, which can be picked from any entry. */
export const VALUE_FILTERS = {
  email: 'Actor',
  admin: 'Admin',
  key: 'API key',
  action: 'Action',
  resource: 'Resource',
  ip: 'IP address',
  request: 'Request ID',
} as const;

export type ValueFilter = keyof typeof VALUE_FILTERS;

export function useAuditSearch() {
  return useListSearch(SEARCH);
}

export type AuditSearch = ReturnType<typeof useAuditSearch>;

/** The search as the API's input. */
export function inputOf({ settled, values, history }: AuditSearch) {
  return {
    q: settled.q || undefined,
    domain_id: values.domain ?? undefined,
    admin_id: values.admin ?? undefined,
    admin_email: values.email ?? undefined,
    api_key_id: values.key ?? undefined,
    action: values.action ?? undefined,
    kind: values.kind ?? undefined,
    resource: values.resource ?? undefined,
    ip_address: values.ip ?? undefined,
    request_id: values.request ?? undefined,
    outcome: values.outcome ?? undefined,
    since: startOf(values.since, history.now),
    until: values.until?.toISOString(),
    order: values.order,
  };
}
