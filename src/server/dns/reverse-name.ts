import ipaddr from 'ipaddr.js';

/** The name under which DNS has facts about an address. @param suffixes for IPv4 and IPv6 */
export function reverseName(address: string, suffixes = { ipv4: 'in-addr.arpa', ipv6: 'ip6.arpa' }): string {
  const parsed = ipaddr.parse(address);
  const bytes = parsed.toByteArray().reverse();
  if (parsed.kind() === 'ipv4') return `${bytes.join('.')}.${suffixes.ipv4}`;
  const nibbles = bytes.flatMap((byte) => [byte & 15, byte >> 4]);
  return `${nibbles.map((nibble) => nibble.toString(16)).join('.')}.${suffixes.ipv6}`;
}
