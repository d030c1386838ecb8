import { type OutboundOptions, requestOnce } from '@/server/outbound/request';
import { env } from '@/server/settings/env';
import type { Probes } from './records/record';

const FETCH_TIMEOUT_MS = 5_000;

/** What checks look at beside DNS: nothing without `NETWORK_CHECKS`. */
export function probes(): Probes {
  const { networkChecks, webhookAllowPrivateNetworks: allowPrivateNetworks } = env();
  return networkChecks ? { fetchText: textFetcher({ allowPrivateNetworks }) } : {};
}

export function textFetcher(options: OutboundOptions): NonNullable<Probes['fetchText']> {
  return async (url) => {
    const request = { method: 'GET', url, headers: {}, body: nothing(), bodyBytes: 0 } as const;
    const result = await requestOnce(request, { timeoutMs: FETCH_TIMEOUT_MS, ...options });
    if (result.outcome === 'failed') return { failure: result.message };
    return result.status === 200 ? { text: result.excerpt } : { failure: `The server responded ${result.status}.` };
  };
}

async function* nothing() {}
