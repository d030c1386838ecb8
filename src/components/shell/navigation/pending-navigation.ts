import { createStore } from '../../flag';

const pending = createStore<string | null>(null);
let shown: string | undefined;

/** The path that a navigation leads to, null while there is none. */
export const usePendingPath = pending.useValue;

/** @param url where the router goes, absolute or relative to the page that is shown */
export function beginNavigation(url: string): void {
  const { pathname, searchParams } = new URL(url, window.location.href);
  const isElsewhere = shown !== undefined && pageOf(pathname, searchParams) !== shown;
  pending.set(isElsewhere ? pathname : null);
}

/** Ends the navigation with the page that is shown, which needn't be the one that was asked for. */
export function endNavigation(pathname: string, query: URLSearchParams): void {
  shown = pageOf(pathname, query);
  pending.set(null);
}

function pageOf(pathname: string, query: URLSearchParams): string {
  return `${pathname}?${query}`;
}
