import { createFlag } from '../../flag';

const pending = createFlag();
let shown: string | undefined;

export const usePendingNavigation = pending.useFlag;

/** @param url where the router goes, absolute or relative to the page that is shown */
export function beginNavigation(url: string): void {
  const { pathname, searchParams } = new URL(url, window.location.href);
  pending.set(shown !== undefined && pageOf(pathname, searchParams) !== shown);
}

/** Ends the navigation with the page that is shown, which needn't be the one that was asked for. */
export function endNavigation(pathname: string, query: URLSearchParams): void {
  shown = pageOf(pathname, query);
  pending.set(false);
}

function pageOf(pathname: string, query: URLSearchParams): string {
  return `${pathname}?${query}`;
}
