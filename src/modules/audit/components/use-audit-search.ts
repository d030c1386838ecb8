'use client';

import { parseAsIsoDateTime, parseAsString, parseAsStringLiteral } from 'nuqs';
import { sortBy, useListSearch } from '@/components/list/use-list-search';
import { OUTCOMES } from '../schema';

const SEARCH = {
  filters: {
    domain: parseAsString,
    admin: parseAsString,
    email: parseAsString,
    key: parseAsString,
    action: parseAsString,
    resource: parseAsString,
    ip: parseAsString,
    request: parseAsString,
    outcome: parseAsStringLiteral(OUTCOMES),
    since: parseAsIsoDateTime,
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
export function inputOf({ values, history }: AuditSearch) {
  return {
    domain_id: values.domain ?? undefined,
    admin_id: values.admin ?? undefined,
    admin_email: values.email ?? undefined,
    api_key_id: values.key ?? undefined,
    action: values.action ?? undefined,
    resource: values.resource ?? undefined,
    ip_address: values.ip ?? undefined,
    request_id: values.request ?? undefined,
    outcome: values.outcome ?? undefined,
    since: values.since?.toISOString(),
    until: values.until?.toISOString(),
    order: values.order,
    cursor: history.cursor,
  };
}

/** The filter for a typed or pasted value, by its format, or null if it is empty. */
export function guessFilter(text: string): [ValueFilter, string] | null {
  const value = text.trim();
  if (value === '') return null;
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)) return ['request', value.toLowerCase()];
  if (value.includes('@')) return ['email', value.toLowerCase()];
  if (/^[a-z_]+:.+/.test(value)) return ['resource', value];
  if (/^\d+\.\d+\.\d+\.\d+$|^[0-9a-f]*:[0-9a-f:]+$/i.test(value)) return ['ip', value];
  return ['action', value];
}
