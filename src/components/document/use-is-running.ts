import { useSyncExternalStore } from 'react';

/** False on the server, and until React has taken over a page that came from it. What is opened later runs at once. */
export function useIsRunning(): boolean {
  return useSyncExternalStore(never, yes, no);
}

const never = () => () => {};
const yes = () => true;
const no = () => false;
