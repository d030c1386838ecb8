import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Whether an IPv4 or IPv6 literal, without brackets, is an ordinary public address. False for everything special in the
 * IANA registries, embedded IPv4 addresses, zones, and literals that aren't canonical.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0 || address.includes('%')) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  if (parsed.kind() === 'ipv6' && !parsed.match(GLOBAL_UNICAST)) return false;
  return !REFUSED.some((range) => parsed.kind() === range[0].kind() && parsed.match(range));
}

const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

// Listed although ipaddr.js knows most of them, so that an update of it can't open a hole.
const REFUSED = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
].map((range) => ipaddr.parseCIDR(range));
