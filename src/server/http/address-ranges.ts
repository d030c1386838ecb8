import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;
/** The base address and the number of its bits that count. */
export type Range = [base: Address, bits: number];

/** Parses an address or a range such as 192.0.2.0/24. @throws if it is neither */
export function parseRange(text: string): Range {
  if (!text.includes('/')) {
    const address = ipaddr.process(text);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  }
  const [base, bits] = ipaddr.parseCIDR(text);
  const isMapped = base instanceof ipaddr.IPv6 && base.isIPv4MappedAddress() && bits >= 96;
  return isMapped ? [base.toIPv4Address(), bits - 96] : [base, bits];
}

export function parseAddress(text: string): Address | undefined {
  const withoutZone = text.replace(/%.*$/, '');
  const isAddress = ipaddr.IPv4.isValidFourPartDecimal(withoutZone) || ipaddr.IPv6.isValid(withoutZone);
  return isAddress ? ipaddr.process(withoutZone) : undefined;
}

export function isInRanges(address: Address, ranges: readonly Range[]): boolean {
  return ranges.some(([base, bits]) => address.kind() === base.kind() && address.match(base, bits));
}

/** Tells whether all addresses of a range are in one of others. */
export function isWithin([base, bits]: Range, outer: readonly Range[]): boolean {
  return isInRanges(
    base,
    outer.filter(([, outerBits]) => outerBits <= bits),
  );
}
