import { describe, expect, it } from 'vitest';
import { createClientAddresses, networkOf, wideNetworkOf } from './client-address';

describe('the address of a client', () => {
  it.each([
    ['is the peer if no proxy is trusted', [], '203.0.113.7', '198.51.100.1', '203.0.113.7'],
    ['is IPv4 if the socket maps it to IPv6', [], '::ffff:203.0.113.7', undefined, '203.0.113.7'],
    ['is the last entry of a trusted proxy', ['10.0.0.0/8'], '10.1.1.1', '198.51.100.1, 203.0.113.7', '203.0.113.7'],
    [
      'is found behind several proxies',
      ['10.0.0.0/8', '::1'],
      '::1',
      '198.51.100.1, 203.0.113.7, 10.2.2.2',
      '203.0.113.7',
    ],
    ['is the first proxy if all are trusted', ['10.0.0.0/8'], '10.1.1.1', '10.2.2.2', '10.2.2.2'],
    ['is the proxy without a header', ['10.0.0.0/8'], '10.1.1.1', undefined, '10.1.1.1'],
    ['is the proxy if the header has no address', ['10.0.0.0/8'], '10.1.1.1', 'unknown', '10.1.1.1'],
    ['is not read past an invalid entry', ['10.0.0.0/8'], '10.1.1.1', '198.51.100.1, ?, 10.2.2.2', '10.2.2.2'],
    ['is never in another notation', ['10.0.0.0/8'], '10.1.1.1', '0x7f.1', '10.1.1.1'],
    ['has no port', ['10.0.0.0/8'], '10.1.1.1', '203.0.113.7:4711', '203.0.113.7'],
    ['has no brackets', ['10.0.0.0/8'], '10.1.1.1', '[2001:db8::1]:4711', '2001:db8::1'],
    ['has no zone', [], 'fe80::1%eth0', undefined, 'fe80::1'],
  ])('%s', (_guarantee, trustedProxies, peer, forwardedFor, expected) => {
    const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor };
    const { read } = createClientAddresses(trustedProxies);
    expect(read({ socket: { remoteAddress: peer }, headers })).toBe(expected);
  });
});

it.each([
  ['10.1.1.1', true],
  ['::ffff:10.1.1.1', true],
  ['::1', true],
  ['11.1.1.1', false],
  ['', false],
])('tells whether %j is a trusted proxy', (address, expected) => {
  expect(createClientAddresses(['10.0.0.0/8', '::1']).isTrustedProxy(address)).toBe(expected);
});

it('limits count the addresses of an IPv6 /64 as one, and an IPv4 address in both notations', () => {
  expect(networkOf('2001:db8:1:2:3::4')).toBe(networkOf('2001:db8:1:2::9'));
  expect(networkOf('2001:db8:1:2::1')).not.toBe(networkOf('2001:db8:1:3::1'));
  expect(networkOf('::ffff:203.0.113.7')).toBe(networkOf('203.0.113.7'));
  expect(networkOf('203.0.113.7')).not.toBe(networkOf('203.0.113.8'));
});

it('a wide network is an IPv4 /24 or an IPv6 /48', () => {
  expect(wideNetworkOf('2001:db8:1:2::1')).toBe(wideNetworkOf('2001:db8:1:3::1'));
  expect(wideNetworkOf('2001:db8:1:2::1')).not.toBe(wideNetworkOf('2001:db8:2:2::1'));
  expect(wideNetworkOf('203.0.113.7')).toBe(wideNetworkOf('203.0.113.8'));
  expect(wideNetworkOf('203.0.113.7')).not.toBe(wideNetworkOf('203.0.112.7'));
});
