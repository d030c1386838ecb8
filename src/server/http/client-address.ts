import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { type Address, isInRanges, parseAddress, parseRange } from './address-ranges';

// How a socket that listens on IPv6 has the addresses of IPv4.
const MAPPED_IPV4 = /^::ffff:(?=\d+\.)/i;

/** The part of Node's request that client addresses are read from. */
type Received = {
  socket: { remoteAddress?: string | undefined };
  headers: NodeJS.Dict<string | string[]>;
};

export type ClientAddresses = {
  /** The client address of a request. X-Forwarded-For is read from the right, as far as trusted proxies wrote it. */
  read(request: Received): string;
  isTrustedProxy(address: string): boolean;
};

export function createClientAddresses(trustedProxies: readonly string[]): ClientAddresses {
  const ranges = trustedProxies.map(parseRange);
  const isTrusted = (address: Address) => isInRanges(address, ranges);

  return {
    read(request) {
      const peer = (request.socket.remoteAddress ?? '').replace(MAPPED_IPV4, '');
      if (ranges.length === 0 && isIPv4(peer)) return peer;
      let address = parseAddress(peer);
      if (!address) return '0.0.0.0';
      const hops = [request.headers['x-forwarded-for'] ?? ''].flat().join(',').split(',');
      while (isTrusted(address) && hops.length > 0) {
        const previous = parseAddress(withoutPort(hops.pop()?.trim() ?? ''));
        if (!previous) break;
        address = previous;
      }
      return address.toString();
    },
    isTrustedProxy(text) {
      const address = parseAddress(text);
      return address !== undefined && isTrusted(address);
    },
  };
}

/** Returns the network that limits count as one client: an IPv4 address, or all addresses of an IPv6 /64. */
export function networkOf(ip: string): string {
  if (isIPv4(ip)) return ip;
  const address = parseAddress(ip);
  if (address?.kind() !== 'ipv6') return address?.toString() ?? ip;
  return ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`).toString();
}

/** Returns the network that one customer of a provider often has to themselves: an IPv4 /24, or an IPv6 /48. */
export function wideNetworkOf(ip: string): string {
  const address = parseAddress(ip);
  if (!address) return ip;
  const of = address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  return of.networkAddressFromCIDR(`${address}/${address.kind() === 'ipv4' ? 24 : 48}`).toString();
}

function withoutPort(text: string): string {
  const [, bracketed] = /^\[([^\]]+)\](?::\d+)?$/.exec(text) ?? [];
  return bracketed ?? text.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');
}
