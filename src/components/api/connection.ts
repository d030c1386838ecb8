import { onlineManager, type QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { createFlag } from '../flag';

/** A file of the app. A proxy that answers in its place answers with an error. */
const PROBE_URL = '/icon.svg';
const PROBE_TIMEOUT_MS = 5_000;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 10_000;

const unreachable = createFlag();
let isProbing = false;
let probeNow = () => {};

/** Whether requests get no response, although the browser is online. */
export const useServerUnreachable = unreachable.useFlag;

export function useBrowserOnline(): boolean {
  return useSyncExternalStore(
    (listener) => onlineManager.subscribe(listener),
    () => onlineManager.isOnline(),
    () => true,
  );
}

/** Finds out, after a request without a response, whether the server is unreachable. Once it responds again, all data is refetched. */
export async function checkConnection(client: QueryClient): Promise<void> {
  if (isProbing) return;
  isProbing = true;
  window.addEventListener('online', retryConnection);
  for (let waitMs = FIRST_WAIT_MS; !(await isReachable()); waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    unreachable.set(true);
    await new Promise<void>((resolve) => {
      probeNow = resolve;
      setTimeout(resolve, waitMs);
    });
  }
  isProbing = false;
  if (!unreachable.get()) return;
  unreachable.set(false);
  await client.invalidateQueries();
}

/** Asks the server at once instead of at the next interval. */
export function retryConnection(): void {
  probeNow();
}

async function isReachable(): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
    const { ok } = await fetch(PROBE_URL, { method: 'HEAD', cache: 'no-store', signal });
    return ok;
  } catch {
    // No response, whatever the reason.
    return false;
  }
}
