import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, type DnsServer } from '@/server/dns/ask';
import { freePort } from '../../../scripts/process/free-port.mjs';
import { findDnsServers } from '../../../scripts/testing/test-programs.mjs';

export const NAME_SERVERS = ['127.0.0.2', '127.0.0.3'] as const;
const PARENT_SERVER = '127.0.0.4';

type RealZone = {
  name: string;
  /** Lines of a zone file, without SOA and NS. */
  records: string;
  /** `expired` signs with signatures of last year. */
  signing?: 'valid' | 'expired';
  /** The version at each name server; null where it doesn't have the zone. */
  serials?: readonly [number, number | null];
};

export type RealDns = {
  /** Verifies DNSSEC. */
  resolver: DnsServer;
  /** Port of the name servers. */
  port: number;
  stop(): Promise<void>;
};

const START_TRIES = 200;
const START_PAUSE_MS = 50;

/**
 * NSD name servers and an Unbound resolver, on loopback. `example.` is signed and its key is trusted; it delegates the
 * zones within it, with a DS record where they are signed.
 */
export async function startRealDns(zones: readonly RealZone[]): Promise<RealDns> {
  const programs = findDnsServers();
  if (!programs) throw new Error('unbound, nsd or ldns-signzone was not found. Install unbound, nsd and ldnsutils.');
  const folder = mkdtempSync(join(tmpdir(), 'postroom-dns-'));
  const [port, resolverPort] = [await portOfServers(), await portOfServers()];
  const children: ChildProcess[] = [];
  const start = (program: string, ...args: string[]) => {
    children.push(spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] }));
  };
  const stop = async () => {
    await Promise.all(children.map(end));
    rmSync(folder, { recursive: true });
  };

  const signZone = (zone: RealZone, text: string): { text: string; ds: string } => {
    const file = join(folder, 'unsigned');
    writeFileSync(file, text);
    const options = { cwd: folder, encoding: 'utf8' } as const;
    const args = ['-a', 'ECDSAP256SHA256', '-k', '-r', '/dev/urandom', zone.name];
    const key = execFileSync(programs['ldns-keygen'], args, options).trim();
    const times = zone.signing === 'expired' ? ['-i', '20240101', '-e', '20240201'] : [];
    execFileSync(programs['ldns-signzone'], [...times, '-f', 'signed', file, key], options);
    return { text: readFileSync(join(folder, 'signed'), 'utf8'), ds: readFileSync(join(folder, `${key}.ds`), 'utf8') };
  };

  const delegations: string[] = [];
  const files = zones.map((zone) => {
    const [first, second] = zone.serials ?? [1, 1];
    const texts = [first, second].map((serial) => (serial === null ? null : zoneText(zone, serial)));
    if (zone.name.endsWith('.example')) delegations.push(nsLines(zone.name));
    if (!zone.signing) return { name: zone.name, texts };
    const signed = signZone(zone, texts[0] ?? '');
    delegations.push(signed.ds);
    return { name: zone.name, texts: [signed.text, signed.text] };
  });
  const parent: RealZone = { name: 'example', records: delegations.join('\n'), signing: 'valid' };
  const signedParent = signZone(parent, zoneText(parent, 1));

  const serve = (address: string, texts: Record<string, string>) => {
    const home = join(folder, address);
    mkdirSync(home);
    for (const [name, text] of Object.entries(texts)) writeFileSync(join(home, name), text);
    writeFileSync(join(home, 'nsd.conf'), nsdConfig(home, `${address}@${port}`, Object.keys(texts)));
    start(programs.nsd, '-d', '-c', join(home, 'nsd.conf'));
  };
  for (const [index, address] of NAME_SERVERS.entries()) {
    const held = files.flatMap(({ name, texts }) => (texts[index] == null ? [] : [[name, texts[index]]]));
    serve(address, Object.fromEntries(held));
  }
  serve(PARENT_SERVER, { [parent.name]: signedParent.text });
  writeFileSync(
    join(folder, 'unbound.conf'),
    unboundConfig({ folder, port, resolverPort, files, ds: signedParent.ds }),
  );
  start(programs.unbound, '-d', '-c', join(folder, 'unbound.conf'));

  const resolver = { address: '127.0.0.1', port: resolverPort };
  try {
    for (const address of [...NAME_SERVERS, PARENT_SERVER]) await untilAnswering({ address, port });
    await untilAnswering(resolver);
  } catch (error) {
    await stop();
    throw error;
  }
  return { resolver, port, stop };
}

function nsLines(zone: string): string {
  const glue = NAME_SERVERS.map((address, index) => `ns${index + 1}.${zone}. 300 IN A ${address}`);
  return [...NAME_SERVERS.map((_, index) => `${zone}. 300 IN NS ns${index + 1}.${zone}.`), ...glue].join('\n');
}

function zoneText({ name, records }: RealZone, serial: number): string {
  const soa = `${name}. 300 IN SOA ns1.${name}. hostmaster.${name}. ${serial} 3600 600 86400 300`;
  return `${[soa, nsLines(name), records].join('\n')}\n`;
}

function nsdConfig(home: string, address: string, zones: string[]): string {
  const files = { logfile: 'log', pidfile: 'pid', xfrdfile: 'xfrd', zonelistfile: 'zones', xfrdir: '.' };
  return [
    'server:',
    `  ip-address: ${address}`,
    '  server-count: 1',
    '  username: ""',
    '  chroot: ""',
    '  database: ""',
    `  zonesdir: "${home}"`,
    ...Object.entries(files).map(([name, file]) => `  ${name}: "${join(home, file)}"`),
    '  rrl-ratelimit: 0',
    'remote-control:',
    '  control-enable: no',
    ...zones.flatMap((name) => ['zone:', `  name: "${name}"`, `  zonefile: "${name}"`]),
    '',
  ].join('\n');
}

type Unbound = { folder: string; port: number; resolverPort: number; files: { name: string }[]; ds: string };

function unboundConfig({ folder, port, resolverPort, files, ds }: Unbound): string {
  const stub = (name: string, addresses: readonly string[]) => [
    'stub-zone:',
    `  name: "${name}"`,
    ...addresses.map((address) => `  stub-addr: ${address}@${port}`),
  ];
  return [
    'server:',
    '  interface: 127.0.0.1',
    `  port: ${resolverPort}`,
    '  username: ""',
    '  chroot: ""',
    `  directory: "${folder}"`,
    `  pidfile: "${join(folder, 'unbound.pid')}"`,
    '  use-syslog: no',
    `  logfile: "${join(folder, 'unbound.log')}"`,
    '  num-threads: 1',
    '  do-not-query-localhost: no',
    '  module-config: "validator iterator"',
    `  trust-anchor: "${ds.trim()}"`,
    'remote-control:',
    '  control-enable: no',
    ...stub('example', [PARENT_SERVER]),
    ...files.flatMap(({ name }) => stub(name, NAME_SERVERS)),
    // Nobody answers there, so that nothing outside is ever asked.
    'forward-zone:',
    '  name: "."',
    `  forward-addr: 127.0.0.1@${port}`,
    '',
  ].join('\n');
}

async function untilAnswering(server: DnsServer): Promise<void> {
  for (let tries = 0; tries < START_TRIES; tries += 1) {
    const signal = AbortSignal.timeout(1_000);
    const reply = await ask(server, { name: 'example', type: 'SOA' }, { isRecursive: true, signal }).catch(() => null);
    if (reply) return;
    await sleep(START_PAUSE_MS);
  }
  throw new Error(`The DNS server at ${server.address}:${server.port} did not start.`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

/** Free for UDP and TCP at every loopback address in use. */
async function portOfServers(): Promise<number> {
  for (;;) {
    const port = await freePort();
    const areFree = await Promise.all(
      ['127.0.0.1', PARENT_SERVER, ...NAME_SERVERS].map((address) => isUdpFree(port, address)),
    );
    if (areFree.every(Boolean)) return port;
  }
}

function isUdpFree(port: number, address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createSocket('udp4');
    probe.once('error', () => resolve(false));
    probe.bind(port, address, () => probe.close(() => resolve(true)));
  });
}
