import type { Resolver } from '@/server/dns/resolver';
import { answered, type ExaminedRecord, info, insecure, LookupFailed, ok, type Verdict } from '../record';

/** DNSSEC: a signed zone must be valid, or resolvers that verify give no answer at all. */
export function dnssecRecord(zone: string): ExaminedRecord {
  return {
    purpose: 'dnssec',
    type: 'DS',
    name: zone,
    expected: null,
    async examine(resolver) {
      const delegation = await answered(resolver.lookup(zone, 'DS'), zone);
      const state = await stateOf(zone, delegation.status === 'found', resolver);
      const found = delegation.values;
      return { ...state, found, ttl: delegation.ttlSeconds, required: state.status === 'insecure' };
    },
  };
}

async function stateOf(zone: string, isDelegated: boolean, resolver: Resolver): Promise<Verdict> {
  const soa = await resolver.lookup(zone, 'SOA');
  if (soa.status === 'temporary_error') {
    const isForged = (await resolver.lookupUnverified(zone, 'SOA')).status === 'found';
    if (!isForged) throw new LookupFailed(`${zone}: ${soa.reason}`);
    return insecure(
      'The DNSSEC signatures of the zone are invalid, so many servers find none of its records.',
      'Sign the zone again at your DNS provider, or remove the DS record at the domain’s registrar.',
    );
  }
  if (soa.isAuthentic) return ok('The zone is signed, and its signatures are valid.');
  if (isDelegated)
    return info('The zone is signed. The resolvers of this server (DNS_SERVERS) don’t verify signatures.');
  const message = 'The zone isn’t signed. Mail works without; DNSSEC protects its records from forgery.';
  return { status: 'missing', severity: 'info', message, fix: null };
}
