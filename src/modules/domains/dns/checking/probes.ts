import { type OutboundOptions, requestOnce } from '@/server/outbound/request';
import { env } from '@/server/settings/env';
import type { Probes } from '../records/record';
import { tlsStarter } from './mail-tls';

const FETCH_TIMEOUT_MS = 5_000;

/** Returns the probes that checks use beside DNS: none without `NETWORK_CHECKS`. */
export function probes(): Probes {
  const {
    appUrl,
    networkChecks,
    webhookAllowPrivateNetworks: allowPrivateNetworks,
    blocklists,
    domainBlocklists,
  } = env();
  if (!networkChecks) return {};
  return {
    fetchText: textFetcher({ allowPrivateNetworks }),
    startTls: tlsStarter({ ownName: new URL(appUrl).hostname, allowPrivateNetworks }),
    blocklists: { addresses: blocklists, domains: domainBlocklists },
  };
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
