import type { QueryClient } from '@tanstack/react-query';

let channel: BroadcastChannel | undefined;

/** Makes the queries of a module stale whenever another tab has changed something in it. */
export function followOtherTabs(client: QueryClient): void {
  open().onmessage = ({ data }: MessageEvent<{ changed: string }>) =>
    void client.invalidateQueries({ queryKey: [[data.changed]] });
}

/** Makes the other tabs ask again for what a module shows. Those that have lost their session by it notice so. */
export function tellOtherTabs(changed: string): void {
  open().postMessage({ changed });
}

function open(): BroadcastChannel {
  channel ??= new BroadcastChannel('postroom');
  return channel;
}
