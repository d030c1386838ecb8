import { isIP } from 'node:net';
import { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { postOnce } from '../post';
import { isPublicAddress } from './public-address';
import { resolveHost } from './resolve';

/** name: not an address, so DNS is asked and its answer checked. */
type Verdict = 'allowed' | 'refused' | 'name';

/** Name, then first, middle and last address, all rejected; then public neighbors. */
type Range = [name: string, refused: string[], allowed: string[]];

const IPV4_RANGES: Range[] = [
  ['this network', ['0.0.0.0', '0.0.0.1', '0.17.3.4', '0.255.255.255'], ['1.0.0.0']],
  ['private 10/8', ['10.0.0.0', '10.77.1.2', '10.255.255.255'], ['9.255.255.255', '11.0.0.0']],
  ['carrier NAT', ['100.64.0.0', '100.100.100.200', '100.127.255.255'], ['100.63.255.255', '100.128.0.0']],
  ['loopback', ['127.0.0.0', '127.0.0.1', '127.1.2.3', '127.255.255.255'], ['126.255.255.255', '128.0.0.0']],
  ['Azure wire server', ['168.63.129.16'], ['168.63.129.15', '168.63.129.17']],
  ['link-local', ['169.254.0.0', '169.254.169.254', '169.254.255.255'], ['169.253.255.255', '169.255.0.0']],
  ['private 172.16/12', ['172.16.0.0', '172.23.4.5', '172.31.255.255'], ['172.15.255.255', '172.32.0.0']],
  ['IETF protocols', ['192.0.0.0', '192.0.0.170', '192.0.0.192', '192.0.0.255'], ['191.255.255.255', '192.0.1.0']],
  ['TEST-NET-1', ['192.0.2.0', '192.0.2.99', '192.0.2.255'], ['192.0.1.255', '192.0.3.0']],
  ['AS112', ['192.31.196.0', '192.31.196.77', '192.31.196.255'], ['192.31.195.255', '192.31.197.0']],
  ['AMT', ['192.52.193.0', '192.52.193.77', '192.52.193.255'], ['192.52.192.255', '192.52.194.0']],
  ['6to4 relays', ['192.88.99.0', '192.88.99.1', '192.88.99.255'], ['192.88.98.255', '192.88.100.0']],
  ['private 192.168/16', ['192.168.0.0', '192.168.1.1', '192.168.255.255'], ['192.167.255.255', '192.169.0.0']],
  ['AS112 delegation', ['192.175.48.0', '192.175.48.6', '192.175.48.255'], ['192.175.47.255', '192.175.49.0']],
  ['benchmarking', ['198.18.0.0', '198.19.7.7', '198.19.255.255'], ['198.17.255.255', '198.20.0.0']],
  ['TEST-NET-2', ['198.51.100.0', '198.51.100.42', '198.51.100.255'], ['198.51.99.255', '198.51.101.0']],
  ['TEST-NET-3', ['203.0.113.0', '203.0.113.42', '203.0.113.255'], ['203.0.112.255', '203.0.114.0']],
  ['multicast', ['224.0.0.0', '230.1.2.3', '239.255.255.255'], ['223.255.255.255']],
  ['reserved', ['240.0.0.0', '248.9.8.7', '255.255.255.254'], []],
  ['broadcast', ['255.255.255.255'], []],
];

const F4 = 'ffff:ffff:ffff:ffff';

const IPV6_RANGES: Range[] = [
  ['unspecified and loopback', ['::', '::1'], []],
  ['IPv4-compatible', ['::2', '::7f00:1', '::a9fe:a9fe', '::8.8.8.8', '::ffff:ffff'], []],
  ['IPv4-mapped', ['::ffff:0:0', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8', '::ffff:ffff:ffff'], []],
  ['IPv4-translated', ['::ffff:0:0:0', '::ffff:0:7f00:1', '::ffff:0:ffff:ffff'], []],
  ['NAT64', ['64:ff9b::', '64:ff9b::7f00:1', '64:ff9b::808:808', '64:ff9b::ffff:ffff'], []],
  ['local NAT64', ['64:ff9b:1::', '64:ff9b:1:7f00::1', `64:ff9b:1:ffff:${F4}`], []],
  ['discard-only', ['100::', '100::77', `100::${F4}`, '100:0:0:1::', `100:0:0:1:${F4}`], []],
  ['below global unicast', ['200::1', `1fff:ffff:ffff:ffff:${F4}`], ['2000::']],
  ['above global unicast', ['4000::', '5f00::', `5f00:ffff:ffff:ffff:${F4}`, '8000::1'], [`3fff:ffff:ffff:ffff:${F4}`]],
  ['Teredo', ['2001::', '2001:0:7f00:1::7', `2001:0:ffff:ffff:${F4}`], [`2000:ffff:ffff:ffff:${F4}`]],
  ['anycast of 2001:1::/32', ['2001:1::1', '2001:1::2', '2001:1::3'], []],
  ['benchmarking', ['2001:2::', '2001:2:0:7::1', `2001:2:0:ffff:${F4}`], []],
  ['AMT', ['2001:3::', '2001:3:7::1', `2001:3:ffff:ffff:${F4}`], []],
  ['AS112', ['2001:4:112::', '2001:4:112:7::1', `2001:4:112:ffff:${F4}`], []],
  ['ORCHID', ['2001:10::', '2001:17::1', `2001:1f:ffff:ffff:${F4}`], []],
  ['ORCHIDv2', ['2001:20::', '2001:27::1', `2001:2f:ffff:ffff:${F4}`], []],
  ['drone ids', ['2001:30::', '2001:37::1', `2001:3f:ffff:ffff:${F4}`], []],
  ['IETF protocols', ['2001:100::', `2001:1ff:ffff:ffff:${F4}`], ['2001:200::']],
  [
    'documentation',
    ['2001:db8::', '2001:db8:7::1', `2001:db8:ffff:ffff:${F4}`],
    [`2001:db7:ffff:ffff:${F4}`, '2001:db9::'],
  ],
  [
    '6to4',
    ['2002::', '2002:7f00:1::', '2002:808:808::1', `2002:ffff:ffff:ffff:${F4}`],
    [`2001:ffff:ffff:ffff:${F4}`, '2003::'],
  ],
  [
    'AS112 delegation',
    ['2620:4f:8000::', '2620:4f:8000:7::1', `2620:4f:8000:ffff:${F4}`],
    [`2620:4f:7fff:ffff:${F4}`, '2620:4f:8001::'],
  ],
  [
    'documentation 3fff::/20',
    ['3fff::', '3fff:7ff::1', `3fff:fff:ffff:ffff:${F4}`],
    [`3ffe:ffff:ffff:ffff:${F4}`, '3fff:1000::'],
  ],
  ['unique local', ['fc00::', 'fd00:ec2::254', 'fd20:ce::254', `fdff:ffff:ffff:ffff:${F4}`], []],
  ['between', ['fbff::1', 'fe00::1', `fe7f:ffff:ffff:ffff:${F4}`], []],
  ['link-local', ['fe80::', 'fe80::1', 'fe80::a9fe:a9fe', `febf:ffff:ffff:ffff:${F4}`], []],
  ['site-local', ['fec0::', 'fec0::7', `feff:ffff:ffff:ffff:${F4}`], []],
  ['multicast', ['ff00::', 'ff02::1', `ffff:ffff:ffff:ffff:${F4}`], []],
];

const ORDINARY = ['1.1.1.1', '8.8.8.8', '93.184.216.34', '142.250.74.110', '185.199.108.153', '198.41.0.4'];
const ORDINARY_V6 = ['2606:4700:4700::1111', '2a00:1450:4001:81b::200e', '2001:4860:4860::8888', '2400:cb00::1'];

const WRITTEN_BY_HAND: [host: string, Verdict][] = [
  ['2130706433', 'refused'],
  ['2130706433.', 'refused'],
  ['0x7f000001', 'refused'],
  ['0X7F000001', 'refused'],
  ['017700000001', 'refused'],
  ['0x7f.1', 'refused'],
  ['0x7f.0x0.0x0.0x1', 'refused'],
  ['0x7F.0.0.1', 'refused'],
  ['0177.0.0.1', 'refused'],
  ['0177.0.0.01', 'refused'],
  ['00000177.0.0.1', 'refused'],
  ['127.1', 'refused'],
  ['127.0.1', 'refused'],
  ['127.0.0.1.', 'refused'],
  ['127.1.', 'refused'],
  ['127.0x1', 'refused'],
  ['127.65535', 'refused'],
  ['127.16777215', 'refused'],
  ['127.0.0.0x1', 'refused'],
  ['0', 'refused'],
  ['0.', 'refused'],
  ['00', 'refused'],
  ['0x', 'refused'],
  ['0x0', 'refused'],
  ['0.0', 'refused'],
  ['0.0.0', 'refused'],
  ['127.0.0.256', 'refused'],
  ['127.0.0.1.1', 'refused'],
  ['127..1', 'refused'],
  ['127.0.0.1..', 'name'],
  ['4294967296', 'refused'],
  ['0x100000000', 'refused'],
  ['08.8.8.8', 'refused'],
  ['8.8.8.8x', 'name'],
  ['%31%32%37.0.0.1', 'refused'],
  ['127%2e0%2e0%2e1', 'refused'],
  ['127%2E0.0.1', 'refused'],
  ['%30x7f.1', 'refused'],
  ['0%787f.1', 'refused'],
  ['127.0.0.1%00', 'refused'],
  ['127.0.0.1%2f', 'refused'],
  ['127.0.0.1%20', 'refused'],
  ['%00127.0.0.1', 'refused'],
  ['127。0。0。1', 'refused'],
  ['127.0.0.1', 'refused'],
  ['127。0。0。1', 'refused'],
  ['127．0．0．1', 'refused'],
  ['127｡0｡0｡1', 'refused'],
  ['１２７.0.0.1', 'refused'],
  ['１２７．０．０．１', 'refused'],
  ['１２７。１', 'refused'],
  ['①②⑦.⓪.⓪.①', 'refused'],
  ['𝟏𝟐𝟕.𝟎.𝟎.𝟏', 'refused'],
  ['𝟭𝟮𝟳.𝟬.𝟬.𝟭', 'refused'],
  ['₁₂₇.0.0.1', 'refused'],
  ['¹²⁷.0.0.1', 'refused'],
  ['０ｘ７ｆ.1', 'refused'],
  ['127\u00AD.0.0.1', 'refused'],
  ['127\u200B.0.0.1', 'refused'],
  ['127\u2060.0.0.1', 'refused'],
  ['1\t27.0.0.1', 'refused'],
  ['127.0\n.0.1', 'refused'],
  ['%EF%BC%91%EF%BC%92%EF%BC%97.0.0.1', 'refused'],
  ['169.254.169.254', 'refused'],
  ['2852039166', 'refused'],
  ['0xa9fea9fe', 'refused'],
  ['0xA9.0xFE.0xA9.0xFE', 'refused'],
  ['0251.0376.0251.0376', 'refused'],
  ['169.254.43518', 'refused'],
  ['169.16689662', 'refused'],
  ['169。254。169。254', 'refused'],
  ['１６９.２５４.１６９.２５４', 'refused'],
  ['169.254.170.2', 'refused'],
  ['169.254.42.42', 'refused'],
  ['169.254.0.23', 'refused'],
  ['168.63.129.16', 'refused'],
  ['2822734096', 'refused'],
  ['0xa83f8110', 'refused'],
  ['0250.077.0201.020', 'refused'],
  ['100.100.100.200', 'refused'],
  ['1684301000', 'refused'],
  ['192.0.0.192', 'refused'],
  ['192.0.0.8', 'refused'],
  ['192.0.0.9', 'refused'],
  ['192.0.0.10', 'refused'],
  ['192.0.0.171', 'refused'],
  ['10.1', 'refused'],
  ['167772161', 'refused'],
  ['012.0.0.1', 'refused'],
  ['192.168.257', 'refused'],
  ['192.11010305', 'refused'],
  ['0300.0250.1', 'refused'],
  ['172.1048577', 'refused'],
  ['0xac.0x10.1', 'refused'],
  ['[::1]', 'refused'],
  ['[::]', 'refused'],
  ['[0:0:0:0:0:0:0:1]', 'refused'],
  ['[0000:0000:0000:0000:0000:0000:0000:0001]', 'refused'],
  ['[::0001]', 'refused'],
  ['[::0.0.0.1]', 'refused'],
  ['[0::0:1]', 'refused'],
  ['[::127.0.0.1]', 'refused'],
  ['[::7f00:1]', 'refused'],
  ['[::7F00:0001]', 'refused'],
  ['[0:0:0:0:0:0:7f00:1]', 'refused'],
  ['[::ffff:127.0.0.1]', 'refused'],
  ['[::FFFF:127.0.0.1]', 'refused'],
  ['[::ffff:7f00:1]', 'refused'],
  ['[::ffff:7f00:0001]', 'refused'],
  ['[0:0:0:0:0:ffff:127.0.0.1]', 'refused'],
  ['[0000:0000:0000:0000:0000:ffff:7f00:0001]', 'refused'],
  ['[::ffff:0:127.0.0.1]', 'refused'],
  ['[::ffff:169.254.169.254]', 'refused'],
  ['[::ffff:a9fe:a9fe]', 'refused'],
  ['[::ffff:10.0.0.1]', 'refused'],
  ['[::ffff:0a00:0001]', 'refused'],
  ['[::ffff:8.8.8.8]', 'refused'],
  ['[::ffff:0x7f.1]', 'refused'],
  ['[::ffff:127.1]', 'refused'],
  ['[::ffff:0177.0.0.1]', 'refused'],
  ['[::ffff:127.0.0.01]', 'refused'],
  ['[64:ff9b::127.0.0.1]', 'refused'],
  ['[64:FF9B::169.254.169.254]', 'refused'],
  ['[0064:ff9b:0:0:0:0:a9fe:a9fe]', 'refused'],
  ['[64:ff9b:1::10.0.0.1]', 'refused'],
  ['[2002:7f00:0001::]', 'refused'],
  ['[2002:a00:1::1]', 'refused'],
  ['[2002:a9fe:a9fe::]', 'refused'],
  ['[2002:c0a8:0101::1]', 'refused'],
  ['[2001:0:4136:e378:8000:63bf:80ff:fffe]', 'refused'],
  ['[2001:0000:a9fe:a9fe::1]', 'refused'],
  ['[fd00:ec2::254]', 'refused'],
  ['[FD00:0EC2::0254]', 'refused'],
  ['[fd00:ec2::23]', 'refused'],
  ['[fd20:ce::254]', 'refused'],
  ['[fe80::a9fe:a9fe]', 'refused'],
  ['[FE80::1]', 'refused'],
  ['[fe80::1%eth0]', 'refused'],
  ['[fe80::1%25eth0]', 'refused'],
  ['[fe80::1%251]', 'refused'],
  ['[2606:4700:4700::1111%eth0]', 'refused'],
  ['[2606:4700:4700::1111%25eth0]', 'refused'],
  ['[::1%lo]', 'refused'],
  ['[::1', 'refused'],
  ['::1', 'refused'],
  ['[::1]]', 'refused'],
  ['[[::1]]', 'refused'],
  ['[127.0.0.1]', 'refused'],
  ['[::1].', 'refused'],
  ['[1::2::3]', 'refused'],
  ['[::g]', 'refused'],
  ['[%3a%3a1]', 'refused'],
  ['[：：1]', 'refused'],
  ['[::１]', 'refused'],
  ['[v1.127.0.0.1]', 'refused'],
  ['user@127.0.0.1', 'refused'],
  ['user:password@8.8.8.8', 'refused'],
  ['8.8.8.8@127.0.0.1', 'refused'],
  ['127.0.0.1:443', 'refused'],
  ['[::1]:8443', 'refused'],
  ['127.0.0.1:65536', 'refused'],
  ['8.8.8.8:65536', 'refused'],
  ['', 'refused'],
  ['8.8.8.8', 'allowed'],
  ['8.8.8.8.', 'allowed'],
  ['8.8.8.8:8443', 'allowed'],
  ['134744072', 'allowed'],
  ['0x08080808', 'allowed'],
  ['010.8.8.8', 'allowed'],
  ['8.526344', 'allowed'],
  ['８.８.８.８', 'allowed'],
  ['8。8。8。8', 'allowed'],
  ['%38.8.8.8', 'allowed'],
  ['[2606:4700:4700::1111]', 'allowed'],
  ['[2606:4700:4700:0000:0000:0000:0000:1111]', 'allowed'],
  ['[2606:4700:4700::1111]:8443', 'allowed'],
  ['[2A00:1450:4001:81B::200E]', 'allowed'],
  ['[2a00:1450::8.8.8.8]', 'allowed'],
];

const ranged = (ranges: Range[], verdict: Verdict) =>
  ranges.flatMap(([name, refused, allowed]) => (verdict === 'refused' ? refused : allowed).map((at) => [name, at]));

function rows(name: string | undefined, forms: string[], verdict: Verdict): [string, string, Verdict][] {
  return forms.map((form) => [name ?? '', form, verdict]);
}

const ROWS: [name: string, host: string, Verdict][] = [
  ...ranged(IPV4_RANGES, 'refused').flatMap(([name, at = '']) => rows(name, formsOfIpv4(at), 'refused')),
  ...ranged(IPV4_RANGES, 'allowed').flatMap(([name, at = '']) => rows(`beside ${name}`, formsOfIpv4(at), 'allowed')),
  ...ranged(IPV4_RANGES, 'refused').flatMap(([name, at = '']) => rows(`${name} inside`, carriersOf(at), 'refused')),
  ...ranged(IPV6_RANGES, 'refused').flatMap(([name, at = '']) => rows(name, formsOfIpv6(at), 'refused')),
  ...ranged(IPV6_RANGES, 'allowed').flatMap(([name, at = '']) => rows(`beside ${name}`, formsOfIpv6(at), 'allowed')),
  ...ORDINARY.flatMap((at) => rows('ordinary', formsOfIpv4(at), 'allowed')),
  ...ORDINARY.flatMap((at) => rows('ordinary inside', carriersOf(at), 'refused')),
  ...ORDINARY_V6.flatMap((at) => rows('ordinary', formsOfIpv6(at), 'allowed')),
  ...WRITTEN_BY_HAND.map(([host, verdict]): [string, string, Verdict] => ['by hand', host, verdict]),
];

const groups = new Map<string, [host: string, Verdict][]>();
for (const [name, host, verdict] of ROWS) {
  const title = `${name}: ${verdict}`;
  groups.set(title, [...(groups.get(title) ?? []), [host, verdict]]);
}

describe('a request to an address in an obfuscated form', () => {
  it('is tested in at least 400 forms', () => {
    expect(new Set(ROWS.map(([, host]) => host)).size).toBeGreaterThan(400);
  });

  it.each([...groups])('%s', async (_name, group) => {
    const seen = await Promise.all(group.map(async ([host]) => [host, await verdictOn(`https://${host}/`)]));
    expect(seen).toEqual(group);
  });
});

describe('isPublicAddress', () => {
  it.each([
    '',
    'localhost',
    'example.com',
    '8.8.8.8.',
    ' 8.8.8.8',
    '8.8.8.8\n',
    '8.8.8',
    '134744072',
    '0x8.8.8.8',
    '010.8.8.8',
    '008.8.8.8',
    '8.8.8.8/32',
    '[2606:4700:4700::1111]',
    '2606:4700:4700::1111%eth0',
    '2606:4700:4700::1111/128',
    '2606:4700:4700::1111:2222:3333:4444:5555',
    'fe80::1%eth0',
  ])('rejects %j, which is not a plain literal', (text) => {
    expect(isPublicAddress(text)).toBe(false);
  });
});

/** Whether postOnce tries to connect to a URL. The connection is a stub. */
async function verdictOn(url: string): Promise<Verdict | string> {
  const hosts: unknown[] = [];
  const result = await postOnce(
    { url, headers: {}, body: nothing(), bodyBytes: 0 },
    {
      allowPrivateNetworks: false,
      resolve: (hostname, signal) => {
        if (isIP(hostname) === 0) throw new Error('would ask DNS');
        return resolveHost(hostname, signal);
      },
      connect: ({ host }) => {
        hosts.push(host);
        return new Duplex().destroy() as TLSSocket;
      },
    },
  );
  if (hosts.length > 0) return 'allowed';
  if (result.outcome !== 'failed') return result.outcome;
  if (result.reason === 'dns') return 'name';
  return result.reason === 'blocked_address' || result.reason === 'bad_url' ? 'refused' : result.reason;
}

async function* nothing() {}

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
