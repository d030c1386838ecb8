import { currentPage } from '@/lib/page-request';

/**
 * Starts a query while the server renders a page, before the component waits for another one. A browser asks for both
 * together, so that they arrive at once and nothing moves.
 */
export function prefetchDuringRender(prefetch: () => Promise<void>): void {
  if (currentPage()) void prefetch();
}
