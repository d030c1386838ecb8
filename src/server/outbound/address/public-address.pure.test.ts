import { isIP } from 'node:net';
import { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { ADDRESS_FORMS } from '@/test/addresses/forms';
import type { Expected } from '@/test/addresses/written-by-hand';
import { requestOnce } from '../request';
import { isPublicAddress } from './public-address';
import { resolveHost } from './resolve';

const groups = new Map<string, [host: string, Expected][]>();
for (const [name, host, verdict] of ADDRESS_FORMS) {
  const title = `${name}: ${verdict}`;
  groups.set(title, [...(groups.get(title) ?? []), [host, verdict]]);
}

describe('a request to an address in an obfuscated form', () => {
  it('is tested in at least 400 forms', () => {
    expect(new Set(ADDRESS_FORMS.map(([, host]) => host)).size).toBeGreaterThan(400);
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

/** Whether requestOnce tries to connect to a URL. The connection is a stub. */
async function verdictOn(url: string): Promise<Expected | string> {
  const hosts: unknown[] = [];
  const result = await requestOnce(
    { method: 'POST', url, headers: {}, body: nothing(), bodyBytes: 0 },
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
