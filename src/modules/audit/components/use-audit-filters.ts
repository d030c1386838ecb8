'use client';

import { parseAsIsoDateTime, parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { OUTCOMES } from '../schema';

const parsers = {
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
  order: parseAsStringLiteral(['asc', 'desc']).withDefault('desc'),
  peek: parseAsString,
  cursor: parseAsString,
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

export function useAuditFilters() {
  const [filters, setFilters] = useQueryStates(parsers);
  const change = (values: Parameters<typeof setFilters>[0] & object) => {
    void setFilters({ cursor: null, peek: null, ...values });
  };
  const names = Object.keys(VALUE_FILTERS) as ValueFilter[];
  const set = names.filter((name) => filters[name] !== null);
  return {
    filters,
    change,
    set,
    filterBy: (name: ValueFilter, value: string) => change({ [name]: value }),
    clear: () =>
      change({
        ...Object.fromEntries(names.map((name) => [name, null])),
        outcome: null,
        since: null,
        until: null,
        domain: null,
      }),
    isFiltered:
      set.length > 0 || [filters.outcome, filters.since, filters.until, filters.domain].some((value) => value !== null),
    input: {
      domain_id: filters.domain ?? undefined,
      admin_id: filters.admin ?? undefined,
      admin_email: filters.email ?? undefined,
      api_key_id: filters.key ?? undefined,
      action: filters.action ?? undefined,
      resource: filters.resource ?? undefined,
      ip_address: filters.ip ?? undefined,
      request_id: filters.request ?? undefined,
      outcome: filters.outcome ?? undefined,
      since: filters.since?.toISOString(),
      until: filters.until?.toISOString(),
      order: filters.order,
    },
  };
}

export type AuditFilters = ReturnType<typeof useAuditFilters>;

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
