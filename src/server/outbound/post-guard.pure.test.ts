import { Duplex } from 'node:stream';
import type { ConnectionOptions, TLSSocket } from 'node:tls';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type OutboundOptions, type OutboundRequest, type OutboundResult, requestOnce } from './request';

const PUBLIC = '93.184.216.34';
const OTHER = '198.41.0.4';
const PUBLIC_V6 = '2606:4700:4700::1111';

/** DNS answers in order, one per attempt, and the address that each attempt may connect to. */
const SCRIPTS: [name: string, answers: string[][], connected: (string | null)[]][] = [
  ['public, then private', [[PUBLIC], ['10.0.0.1']], [PUBLIC, null]],
  ['private, then public', [['127.0.0.1'], [PUBLIC]], [null, PUBLIC]],
  [
    'flapping',
    [[PUBLIC], ['169.254.169.254'], [PUBLIC], ['::1'], [PUBLIC_V6]],
    [PUBLIC, null, PUBLIC, null, PUBLIC_V6],
  ],
  ['public and private at once', [[PUBLIC, '10.0.0.1']], [PUBLIC]],
  ['private and public at once', [['192.168.1.1', PUBLIC]], [PUBLIC]],
  ['public IPv4 and loopback IPv6', [[PUBLIC, '::1']], [PUBLIC]],
  ['public IPv4 and link-local IPv6', [['fe80::1', PUBLIC]], [PUBLIC]],
  ['public IPv4 behind DNS64', [['64:ff9b::5db8:d822', PUBLIC]], [PUBLIC]],
  ['public IPv6 and private IPv4', [['100.64.0.1', PUBLIC_V6]], [PUBLIC_V6]],
  ['one public among many', [[...Array(50).fill('172.16.0.1'), '::1', PUBLIC]], [PUBLIC]],
  ['several private ones', [['10.0.0.1', '::1', 'fe80::1']], [null]],
  ['private behind an IPv4-mapped literal', [['::ffff:10.0.0.1'], ['::ffff:a00:1']], [null, null]],
  ['private behind NAT64 and 6to4', [['64:ff9b::a00:1'], ['2002:a00:1::1']], [null, null]],
  ['a link-local address with a zone', [['fe80::1%eth0'], [`${PUBLIC_V6}%eth0`]], [null, null]],
  ['no addresses', [[], [PUBLIC], []], [null, PUBLIC, null]],
  ['no addresses, only more names', [['localhost'], ['hooks.test'], ['']], [null, null, null]],
  [
    'forms that only a lax parser accepts',
    [['127.1'], ['2130706433'], ['0x7f.0.0.1'], ['010.8.8.8']],
    [null, null, null, null],
  ],
  ['another public address each time', [[PUBLIC], [OTHER], [PUBLIC_V6]], [PUBLIC, OTHER, PUBLIC_V6]],
  ['several public addresses', [[OTHER, PUBLIC, PUBLIC_V6]], [OTHER]],
];

describe('rebinding', () => {
  it.each(SCRIPTS)('%s: connects to checked addresses only', async (_name, answers, connected) => {
    const asked: string[] = [];
    const tried: (string | null)[] = [];
    for (const answer of answers) {
      const { result, hosts } = await post({
        resolve: async (hostname) => {
          asked.push(hostname);
          return answer;
        },
      });
      tried.push(hosts.length === 0 ? null : hosts.join());
      expect(result).toMatchObject(
        hosts.length === 0
          ? { outcome: 'failed', reason: answer.length === 0 ? 'dns' : 'blocked_address', remoteAddress: null }
          : { outcome: 'answered', status: 204, remoteAddress: hosts[0] },
      );
    }
    expect(tried).toEqual(connected);
    expect(asked).toEqual(answers.map(() => 'hooks.test'));
  });

  it('uses the checked addresses if the DNS answer changes afterwards', async () => {
    const answer = [PUBLIC, OTHER];
    const { result, hosts } = await post({ resolve: async () => answer }, (host) => {
      answer.splice(0, 2, '10.0.0.1', '10.0.0.2');
      return host === PUBLIC ? 'refuses' : host;
    });
    expect(hosts).toEqual([PUBLIC, OTHER]);
    expect(result).toMatchObject({ outcome: 'answered', remoteAddress: OTHER });
  });

  it('sends nothing over a connection that ended up at a private address', async () => {
    const { result, written } = await post({ resolve: async () => [PUBLIC] }, () => '10.0.0.1');
    expect(result).toMatchObject({ outcome: 'failed', reason: 'blocked_address' });
    expect(written).toEqual(['']);
  });

  it('sends nothing over a connection with an unknown peer', async () => {
    const { result, written } = await post({ resolve: async () => [PUBLIC] }, () => undefined);
    expect(result).toMatchObject({ outcome: 'failed', reason: 'tls' });
    expect(written).toEqual(['']);
  });

  it('never looks the name up a second time', async () => {
    const { options } = await post({ resolve: async () => [PUBLIC] });
    const { host, port, servername, lookup, rejectUnauthorized } = options[0] ?? {};
    expect({ host, port, servername, rejectUnauthorized }).toEqual({
      host: PUBLIC,
      port: 443,
      servername: 'hooks.test',
      rejectUnauthorized: true,
    });
    const outcome = new Promise((resolve) => lookup?.('hooks.test', {}, (error) => resolve(error)));
    expect(await outcome).toBeInstanceOf(Error);
  });

  it.each(['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'NODE_USE_ENV_PROXY'])('ignores %s', async (name) => {
    const before = process.env[name];
    process.env[name] = name === 'NODE_USE_ENV_PROXY' ? '1' : 'http://127.0.0.1:3128';
    onTestFinished(() => {
      if (before === undefined) delete process.env[name];
      else process.env[name] = before;
    });
    expect((await post({ resolve: async () => [PUBLIC] })).hosts).toEqual([PUBLIC]);
  });

  it('follows no redirect', async () => {
    const answer = 'HTTP/1.1 302 Found\r\nLocation: https://127.0.0.1/\r\nContent-Length: 0\r\n\r\n';
    const { result, hosts } = await post({ resolve: async () => [PUBLIC] }, undefined, answer);
    expect(result).toMatchObject({ outcome: 'answered', status: 302 });
    expect(hosts).toEqual([PUBLIC]);
  });
});

describe('when connections are refused', () => {
  it('tries each checked address once, in order', async () => {
    const { result, hosts } = await post({ resolve: async () => [PUBLIC, OTHER, PUBLIC, PUBLIC_V6] }, () => 'refuses');
    expect(hosts).toEqual([PUBLIC, OTHER, PUBLIC_V6]);
    expect(result).toMatchObject({ outcome: 'failed', reason: 'connect', remoteAddress: null });
  });

  it('tries no private address instead', async () => {
    const { result, hosts } = await post({ resolve: async () => [PUBLIC, '10.0.0.1', OTHER, '::1'] }, () => 'refuses');
    expect(hosts).toEqual([PUBLIC, OTHER]);
    expect(result).toMatchObject({ outcome: 'failed', reason: 'connect' });
  });

  it('tries at most six addresses', async () => {
    const many = Array.from({ length: 1000 }, (_, at) => `93.184.${at >> 8}.${at & 255}`);
    expect((await post({ resolve: async () => many }, () => 'refuses')).hosts).toEqual(many.slice(0, 6));
  });
});

describe('when the first of two addresses does not connect', () => {
  it('tries the second one if there is time left', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const tried: string[] = [];
    const posted = post({ resolve: async () => [PUBLIC, OTHER] }, (host) => {
      tried.push(host);
      return host === PUBLIC ? 'hangs' : host;
    });
    await expect.poll(() => tried).toEqual([PUBLIC]);
    await vi.advanceTimersByTimeAsync(5_000);
    const { result, written } = await posted;
    expect(tried).toEqual([PUBLIC, OTHER]);
    expect(result).toMatchObject({ outcome: 'answered', status: 204, remoteAddress: OTHER });
    expect(written[0]).toBe('');
  });
});

describe('with private networks allowed', () => {
  it.each(['127.0.0.1', '10.0.0.1', '::1', 'fd00::7'])('connects to %s', async (address) => {
    const { result, hosts } = await post({
      allowPrivateNetworks: true,
      resolve: async () => [PUBLIC, address].reverse(),
    });
    expect(hosts).toEqual([address]);
    expect(result.outcome).toBe('answered');
  });

  it.each(['localhost', '127.1', ''])('still accepts addresses only, not %j', async (answer) => {
    const { result, hosts } = await post({ allowPrivateNetworks: true, resolve: async () => [answer] });
    expect(hosts).toEqual([]);
    expect(result).toMatchObject({ outcome: 'failed', reason: 'blocked_address' });
  });
});

describe('when the name does not resolve', () => {
  it('reports it, whatever the resolver throws', async () => {
    const { result, hosts } = await post({ resolve: () => Promise.reject(new Error('secret inside')) });
    expect(result).toMatchObject({ outcome: 'failed', reason: 'dns', message: 'The host name could not be resolved.' });
    expect(hosts).toEqual([]);
  });

  it('times out if the resolver never answers', async () => {
    const { result, hosts } = await post({ resolve: () => new Promise(() => {}), timeoutMs: 50 });
    expect(result).toMatchObject({ outcome: 'failed', reason: 'timeout' });
    expect(hosts).toEqual([]);
  });

  it('times out if no connection is made', async () => {
    const { result } = await post({ resolve: async () => [PUBLIC], timeoutMs: 50 }, () => 'hangs');
    expect(result).toMatchObject({ outcome: 'failed', reason: 'timeout', remoteAddress: null });
  });
});

type Posted = { result: OutboundResult; hosts: unknown[]; options: ConnectionOptions[]; written: string[] };

const NO_CONTENT = 'HTTP/1.1 204 No Content\r\n\r\n';

/** One request to https://hooks.test/ over stubbed sockets: `peerOf` says where a connection to a host ends up. */
async function post(
  overrides: Partial<OutboundOptions>,
  peerOf: (host: string) => string | undefined = (host) => host,
  answer = NO_CONTENT,
): Promise<Posted> {
  const options: ConnectionOptions[] = [];
  const written: string[] = [];
  const connect = (wanted: ConnectionOptions) => {
    const index = options.push(wanted) - 1;
    written[index] = '';
    return stubSocket(peerOf(String(wanted.host)), (text) => {
      written[index] += text;
      return written[index]?.endsWith('\r\n\r\n{}') ? answer : null;
    });
  };
  const request: OutboundRequest = {
    method: 'POST',
    url: 'https://hooks.test/',
    headers: {},
    body: bytes('{}'),
    bodyBytes: 2,
  };
  const result = await requestOnce(request, { allowPrivateNetworks: false, ...overrides, connect });
  return { result, hosts: options.map(({ host }) => host), options, written };
}

/** A minimal TLS socket that refuses, hangs, or is connected to the peer. */
function stubSocket(peer: string | undefined, onText: (text: string) => string | null): TLSSocket {
  const socket = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      const answer = onText(chunk.toString('latin1'));
      if (answer) this.push(answer);
      done();
    },
  });
  setImmediate(() => {
    if (peer === 'hangs') return;
    if (peer === 'refuses') {
      socket.destroy(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));
      return;
    }
    socket.emit('connect');
    socket.emit('secureConnect');
  });
  return Object.assign(socket, { remoteAddress: peer }) as unknown as TLSSocket;
}

async function* bytes(text: string) {
  yield Buffer.from(text);
}
