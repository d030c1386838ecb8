import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import ipaddr from 'ipaddr.js';
import { expect, it, onTestFinished } from 'vitest';
import { resolveHost } from './resolve';

const NEVER = new AbortController().signal;
const NO_LOOKUP = () => Promise.reject(new Error('asked the system'));

it.each([
  ['93.184.216.34', '93.184.216.34'],
  ['::1', '::1'],
  ['[::1]', '::1'],
  ['[2606:4700:4700::1111]', '2606:4700:4700::1111'],
])('resolves %s to itself without a lookup', async (hostname, address) => {
  expect(await resolveHost(hostname, NEVER, { servers: ['127.0.0.1:1'], systemLookup: NO_LOOKUP })).toEqual([address]);
});

it('returns every address of both families, IPv4 first', async () => {
  const dns = await startDns({ A: ['192.0.2.1', '192.0.2.2'], AAAA: ['2001:db8::1'] });
  expect(await resolveHost('hooks.test', NEVER, { ...dns, systemLookup: NO_LOOKUP })).toEqual([
    '192.0.2.1',
    '192.0.2.2',
    '2001:db8::1',
  ]);
});

it.each([
  ['A', '192.0.2.1'],
  ['AAAA', '2001:db8::1'],
] as const)('returns the addresses if only %s records exist', async (type, address) => {
  const dns = await startDns({ A: [], AAAA: [], [type]: [address] });
  expect(await resolveHost('hooks.test', NEVER, { ...dns, systemLookup: NO_LOOKUP })).toEqual([address]);
});

it('does not wait for the family that never answers', async () => {
  const dns = await startDns({ A: ['192.0.2.1'], AAAA: 'silence' });
  const startedAt = performance.now();
  expect(await resolveHost('hooks.test', NEVER, { ...dns, systemLookup: NO_LOOKUP })).toEqual(['192.0.2.1']);
  expect(performance.now() - startedAt).toBeLessThan(3500);
});

it.each([
  ['knows no such name', { A: 'NXDOMAIN', AAAA: 'NXDOMAIN' }],
  ['knows the name and no address', { A: [], AAAA: [] }],
] as const)('asks the system resolver if DNS %s', async (_case, answers) => {
  const dns = await startDns(answers);
  const asked: string[] = [];
  const systemLookup = async (hostname: string) => {
    asked.push(hostname);
    return [{ address: '10.0.0.7' }, { address: '10.0.0.7' }, { address: 'fd00::7' }];
  };
  expect(await resolveHost('hooks.test', NEVER, { ...dns, systemLookup })).toEqual(['10.0.0.7', 'fd00::7']);
  expect(asked).toEqual(['hooks.test']);
});

it('asks the system resolver if there is no DNS server', async () => {
  const systemLookup = async () => [{ address: '10.0.0.7' }];
  expect(await resolveHost('hooks.test', NEVER, { servers: ['127.0.0.1:1'], systemLookup })).toEqual(['10.0.0.7']);
});

it('does not ask the system resolver if the DNS servers fail', async () => {
  const dns = await startDns({ A: 'SERVFAIL', AAAA: 'SERVFAIL' });
  const systemLookup = async () => [{ address: '10.0.0.7' }];
  await expect(resolveHost('hooks.test', NEVER, { ...dns, systemLookup })).rejects.toMatchObject({ reason: 'dns' });
});

it.each([
  ['finds nothing either', async () => []],
  ['fails', NO_LOOKUP],
])('finds nothing if the system resolver %s', async (_case, systemLookup) => {
  const dns = await startDns({ A: 'NXDOMAIN', AAAA: 'NXDOMAIN' });
  await expect(resolveHost('hooks.test', NEVER, { ...dns, systemLookup })).rejects.toMatchObject({ reason: 'dns' });
});

it('finds localhost, which is not in DNS', async () => {
  const dns = await startDns({ A: 'NXDOMAIN', AAAA: 'NXDOMAIN' });
  expect(await resolveHost('localhost', NEVER, dns)).toContain('127.0.0.1');
});

it('rejects with the reason of its signal while DNS is silent', async () => {
  const dns = await startDns({ A: 'silence', AAAA: 'silence' });
  const controller = new AbortController();
  const resolving = resolveHost('hooks.test', controller.signal, { ...dns, systemLookup: NO_LOOKUP });
  const reason = new Error('out of time');
  setTimeout(() => controller.abort(reason), 50);
  await expect(resolving).rejects.toBe(reason);
});

it('makes at most two system lookups at a time, and none for aborted calls', async () => {
  const { servers } = await startDns({ A: 'NXDOMAIN', AAAA: 'NXDOMAIN' });
  const asked: string[] = [];
  const answers: (() => void)[] = [];
  const systemLookup = (hostname: string) => {
    asked.push(hostname);
    return new Promise<{ address: string }[]>((resolve) => {
      answers.push(() => resolve([{ address: '10.0.0.7' }]));
    });
  };
  const controller = new AbortController();
  const options = { servers, systemLookup };
  const first = [1, 2].map((at) => resolveHost(`first-${at}.test`, NEVER, options));
  await expect.poll(() => asked.length).toBe(2);
  const waiting = resolveHost('waiting.test', controller.signal, options);
  const last = resolveHost('last.test', NEVER, options);
  await new Promise((done) => setTimeout(done, 100));
  controller.abort(new Error('out of time'));
  await expect(waiting).rejects.toThrow('out of time');
  expect(asked).toHaveLength(2);
  for (const answer of answers) answer();
  await Promise.all(first);
  await expect.poll(() => asked.length).toBe(3);
  answers[2]?.();
  expect(await last).toEqual(['10.0.0.7']);
  expect(asked).not.toContain('waiting.test');
});

type DnsAnswer = readonly string[] | 'NXDOMAIN' | 'SERVFAIL' | 'silence';

const CODES = { NXDOMAIN: 3, SERVFAIL: 2 };
const TYPES = { A: 1, AAAA: 28 };

/** A DNS server on 127.0.0.1 that gives the same answer for every name. */
async function startDns(answers: { A: DnsAnswer; AAAA: DnsAnswer }): Promise<{ servers: string[] }> {
  const socket = createSocket('udp4');
  socket.on('message', (query: Buffer, peer: RemoteInfo) => {
    const end = query.indexOf(0, 12) + 5;
    const isV6 = query.readUInt16BE(end - 4) === TYPES.AAAA;
    const answer = isV6 ? answers.AAAA : answers.A;
    if (answer === 'silence') return;
    const records = typeof answer === 'string' ? [] : answer.map((address) => record(address));
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(0x8180 | (typeof answer === 'string' ? CODES[answer] : 0), 2);
    header.writeUInt16BE(records.length, 6);
    header.writeUInt32BE(0, 8);
    socket.send(Buffer.concat([header, query.subarray(12, end), ...records]), peer.port, peer.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => {
    socket.close();
  });
  return { servers: [`127.0.0.1:${socket.address().port}`] };
}

function record(address: string): Buffer {
  const bytes = Buffer.from(ipaddr.parse(address).toByteArray());
  const head = Buffer.from([
    0xc0,
    12,
    0,
    bytes.length === 16 ? TYPES.AAAA : TYPES.A,
    0,
    1,
    0,
    0,
    0,
    0,
    0,
    bytes.length,
  ]);
  return Buffer.concat([head, bytes]);
}
