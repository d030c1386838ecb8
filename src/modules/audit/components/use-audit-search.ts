'use client';

import { parseAsString, parseAsStringLiteral } from 'nuqs';
import { parseAsShow } from '@/components/list/show-filter';
import { RANGE, rangeInput } from '@/components/list/since';
import { parseAsText, sortBy, useListSearch } from '@/components/list/use-list-search';
import { AUDIT_KINDS } from '@/lib/texts/audit-kinds';
import { auditList } from '../lists';

/** Refusals and failures change nothing, and neither do sign-ins, tests and sends. */
export const CHOICES = {
  all: { label: 'All', input: {} },
  changes: { label: 'Changes', input: { changes_only: true } },
  denied: { label: 'Denied', input: { outcome: 'denied' } },
  error: { label: 'Errors', input: { outcome: 'error' } },
} as const;

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
    show: parseAsShow(CHOICES),
    ...RANGE,
  },
  view: { ...sortBy(auditList), peek: parseAsString },
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
    ...CHOICES[values.show].input,
    ...rangeInput(values, history.now),
  };
}

/** Whether the search is for single entries, so that sends are shown one by one. */
export function isNarrowed({ settled, values }: AuditSearch): boolean {
  const names = Object.keys(VALUE_FILTERS) as ValueFilter[];
  return settled.q !== '' || values.kind !== null || names.some((name) => values[name] !== null);
}
