import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
/** What is read of Node's request. */
type Received = {
  socket: { remoteAddress?: string | undefined };
  headers: NodeJS.Dict<string | string[]>;
};

/** Returns the client address of a request. X-Forwarded-For is read from the right, as far as trusted proxies wrote it. */
export function createClientAddressReader(trustedProxies: readonly string[]): (request: Received) => string {
  const ranges = trustedProxies.map(parseRange);
  const isTrusted = (address: Address) =>
    ranges.some(([base, bits]) => address.kind() === base.kind() && address.match(base, bits));

  return (request) => {
    let address = parseAddress(request.socket.remoteAddress ?? '');
    if (!address) return '0.0.0.0';
    const hops = [request.headers['x-forwarded-for'] ?? ''].flat().join(',').split(',');
    while (isTrusted(address) && hops.length > 0) {
      const previous = parseAddress(withoutPort(hops.pop()?.trim() ?? ''));
      if (!previous) break;
      address = previous;
    }
    return address.toString();
  };
}

function parseRange(text: string): [Address, number] {
  if (!text.includes('/')) {
    const address = ipaddr.process(text);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  }
  const [base, bits] = ipaddr.parseCIDR(text);
  const isMapped = base instanceof ipaddr.IPv6 && base.isIPv4MappedAddress() && bits >= 96;
  return isMapped ? [base.toIPv4Address(), bits - 96] : [base, bits];
}

function parseAddress(text: string): Address | undefined {
  const withoutZone = text.replace(/%.*$/, '');
  const isAddress = ipaddr.IPv4.isValidFourPartDecimal(withoutZone) || ipaddr.IPv6.isValid(withoutZone);
  return isAddress ? ipaddr.process(withoutZone) : undefined;
}

function withoutPort(text: string): string {
  const [, bracketed] = /^\[([^\]]+)\](?::\d+)?$/.exec(text) ?? [];
  return bracketed ?? text.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');
}
