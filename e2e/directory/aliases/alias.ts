import type { Api, Domain } from '../../support/fixtures';

type Resolution = { outcome: string; destinations: string[] };

export const makeAlias = (api: Api, domain: Domain, source: string, destination: string, over: object = {}) =>
  api.call<{ id: string }>('POST', '/aliases', {
    domain_id: domain.id,
    source_local_part: source,
    destination,
    ...over,
  });
export const resolve = (api: Api, address: string) =>
  api.call<Resolution>('GET', `/aliases/resolve?address=${encodeURIComponent(address)}`);
