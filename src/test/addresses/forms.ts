import { IPV4_RANGES, IPV6_RANGES, type Range } from './ranges';
import { type Expected, WRITTEN_BY_HAND } from './written-by-hand';

const ORDINARY = ['1.1.1.1', '8.8.8.8', '93.184.216.34', '142.250.74.110', '185.199.108.153', '198.41.0.4'];
const ORDINARY_V6 = ['2606:4700:4700::1111', '2a00:1450:4001:81b::200e', '2001:4860:4860::8888', '2400:cb00::1'];

const ranged = (ranges: Range[], verdict: Expected) =>
  ranges.flatMap(([name, refused, allowed]) => (verdict === 'refused' ? refused : allowed).map((at) => [name, at]));

function rows(name: string | undefined, forms: string[], verdict: Expected): [string, string, Expected][] {
  return forms.map((form) => [name ?? '', form, verdict]);
}

export const ADDRESS_FORMS: [name: string, host: string, Expected][] = [
  ...ranged(IPV4_RANGES, 'refused').flatMap(([name, at = '']) => rows(name, formsOfIpv4(at), 'refused')),
  ...ranged(IPV4_RANGES, 'allowed').flatMap(([name, at = '']) => rows(`beside ${name}`, formsOfIpv4(at), 'allowed')),
  ...ranged(IPV4_RANGES, 'refused').flatMap(([name, at = '']) => rows(`${name} inside`, carriersOf(at), 'refused')),
  ...ranged(IPV6_RANGES, 'refused').flatMap(([name, at = '']) => rows(name, formsOfIpv6(at), 'refused')),
  ...ranged(IPV6_RANGES, 'allowed').flatMap(([name, at = '']) => rows(`beside ${name}`, formsOfIpv6(at), 'allowed')),
  ...ORDINARY.flatMap((at) => rows('ordinary', formsOfIpv4(at), 'allowed')),
  ...ORDINARY.flatMap((at) => rows('ordinary inside', carriersOf(at), 'refused')),
  ...ORDINARY_V6.flatMap((at) => rows('ordinary', formsOfIpv6(at), 'allowed')),
  ...WRITTEN_BY_HAND.map(([host, verdict]): [string, string, Expected] => ['by hand', host, verdict]),
];

/** Dotted, decimal, hexadecimal, octal and shortened. */
function formsOfIpv4(address: string): string[] {
  const bytes = bytesOf(address);
  const number = bytes.reduce((sum, byte) => sum * 256 + byte, 0);
  const [first = 0, second = 0] = bytes;
  return [
    address,
    String(number),
    `0x${number.toString(16)}`,
    bytes.map((byte) => `0${byte.toString(8)}`).join('.'),
    `${first}.${second}.${number % 65_536}`,
  ];
}

/** IPv6 literals that carry the address. */
function carriersOf(address: string): string[] {
  const [a = '', b = '', c = '', d = ''] = bytesOf(address).map((byte) => byte.toString(16).padStart(2, '0'));
  return [`[::ffff:${address}]`, `[::${a}${b}:${c}${d}]`, `[64:ff9b::${address}]`, `[2002:${a}${b}:${c}${d}::1]`];
}

function formsOfIpv6(address: string): string[] {
  return [`[${address}]`, `[${address.toUpperCase()}]`];
}

function bytesOf(address: string): number[] {
  return address.split('.').map(Number);
}
