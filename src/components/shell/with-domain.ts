/** Keeps the domain selected in the header, unless the link selects one itself. */
export function withDomain(href: string): string {
  const domain = new URLSearchParams(window.location.search).get('domain');
  const { pathname, searchParams } = new URL(href, window.location.origin);
  if (!domain || searchParams.has('domain')) return href;
  searchParams.set('domain', domain);
  return `${pathname}?${searchParams}`;
}
