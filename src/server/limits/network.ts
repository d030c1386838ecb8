import ipaddr from 'ipaddr.js';

/** The client that an address counts for: all addresses of an IPv6 /64 are one. */
export function networkOf(ip: string): string {
  if (!ipaddr.IPv6.isValid(ip)) return ip;
  return ipaddr.IPv6.networkAddressFromCIDR(`${ip}/64`).toString();
}
