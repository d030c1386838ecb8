import { useIsRunning } from '../document/use-is-running';

/** Scheme, host and port of the console as the browser knows them; empty until the page runs. */
export function useOrigin(): string {
  return useIsRunning() ? window.location.origin : '';
}
