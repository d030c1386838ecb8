const ORDER = ['sort', 'order'] as const;

/** The lists with views, and what a view keeps of their URL: filters and order, but no page, open row or dialog. */
export const VIEW_PAGES = {
  messages: {
    path: '/messages',
    parameters: [
      ...['q', 'domain', 'status', 'accepted', 'direction', 'from', 'to', 'tag', 'template', 'key', 'since', 'until'],
      ...ORDER,
    ],
  },
  mailboxes: { path: '/mailboxes', parameters: ['q', 'domain', 'show', ...ORDER] },
  aliases: { path: '/aliases', parameters: ['q', 'domain', 'show', ...ORDER] },
  sieve_filters: { path: '/sieve-filters', parameters: ['q', 'domain', 'show'] },
  domains: { path: '/domains', parameters: ['q', 'show', ...ORDER] },
  domain_states: { path: '/domains/dns', parameters: ['q', 'show', 'problem', ...ORDER] },
  templates: { path: '/templates', parameters: ['q', 'domain', 'show'] },
  webhooks: { path: '/webhooks', parameters: ['q', 'domain', 'show'] },
  api_keys: { path: '/api-keys', parameters: ['q', 'show', ...ORDER] },
  admins: { path: '/admins', parameters: ['q', ...ORDER] },
  audit: {
    path: '/audit',
    parameters: [
      ...['q', 'domain', 'admin', 'email', 'key', 'action', 'kind', 'resource', 'ip', 'request', 'show'],
      ...['since', 'until', ...ORDER],
    ],
  },
  suppressions: { path: '/suppressions', parameters: ['q', 'domain', 'reason', 'since', 'until', 'order'] },
  queue: { path: '/queue', parameters: ['queue', 'from', 'to', ...ORDER] },
  alerts: { path: '/alerts', parameters: ['domain', 'show', 'kind', 'severity', 'since', 'until', ...ORDER] },
} as const satisfies Record<string, { path: string; parameters: readonly string[] }>;

export type ViewPage = keyof typeof VIEW_PAGES;
export type View = { id: string; page: ViewPage; name: string; query: string };

/** The part of a URL's parameters that a view keeps, always in the same order, so that equal views have equal texts. */
export function viewQuery(page: ViewPage, search: URLSearchParams): string {
  const kept = VIEW_PAGES[page].parameters.flatMap((name) => {
    const value = search.get(name);
    return value ? [[name, value]] : [];
  });
  return new URLSearchParams(kept).toString();
}

export function viewHref(page: ViewPage, query: string): string {
  return `${VIEW_PAGES[page].path}?${query}`;
}
