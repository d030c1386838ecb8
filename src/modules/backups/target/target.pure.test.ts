import { execFileSync } from 'node:child_process';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { startS3Server } from '@/test/servers/s3';
import { createBucketTarget } from './bucket';
import { createFolderTarget } from './folder';
import type { BackupTarget } from './port';

const MB = 1024 * 1024;
const s3 = await startS3Server();
const folder = mkdtempSync(join(tmpdir(), 'postroom-target-'));
const proxy = await startProxy(Number(new URL(s3.endpoint).port));
afterAll(async () => {
  proxy.close();
  await s3.close();
  rmSync(folder, { recursive: true });
});
beforeAll(async () => {
  // The first archive in a bucket has large parts.
  await inBucket.write('first.age', streamOf(Buffer.from('first')));
});
beforeEach(() => {
  proxy.script = () => 'pass';
});

type Fault = 'pass' | 'unavailable' | 'cut' | 'hang';

/** In front of the storage server: decides what happens to each request. */
async function startProxy(port: number) {
  const state = { script: (_: IncomingMessage): Fault => 'pass' };
  const handle = (incoming: IncomingMessage, response: ServerResponse) => {
    const fault = state.script(incoming);
    if (fault === 'hang') return;
    if (fault === 'unavailable') return void response.writeHead(503).end();
    if (fault === 'cut') return void incoming.once('data', () => incoming.socket.destroy());
    const { method, url, headers } = incoming;
    const forwarded = request({ port, host: '127.0.0.1', method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    incoming.pipe(forwarded);
  };
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return Object.assign(state, { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close });
}

const bucketOptions = {
  ...s3,
  prefix: 'some/prefix',
  region: 'us-east-1',
  patient: { maxAttempts: 6, socketTimeout: 2_000 },
  partBytes: 5 * MB,
};
const inBucket = createBucketTarget(bucketOptions);
const behindProxy = createBucketTarget({ ...bucketOptions, endpoint: proxy.endpoint });
const TARGETS: [string, BackupTarget][] = [
  ['a folder', createFolderTarget(join(folder, 'new', 'backups'), { minFreeBytes: 0 })],
  ['a bucket', inBucket],
];

async function namesIn(target: BackupTarget): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of target.list()) names.push(name);
  return names.toSorted();
}

async function read(target: BackupTarget, name: string): Promise<Buffer | null> {
  const archive = await target.read(name);
  return archive && buffer(archive);
}

/** In chunks, as an archive is made. */
function streamOf(bytes: Buffer, failAt?: number): Readable {
  return Readable.from(
    (async function* () {
      for (let at = 0; at < bytes.byteLength; at += 64 * 1024) {
        if (failAt !== undefined && at >= failAt) throw new Error('the archive can’t be made');
        yield bytes.subarray(at, at + 64 * 1024);
      }
    })(),
    { objectMode: false },
  );
}

describe.each(TARGETS)('%s', (_, target) => {
  it('gives back an archive of several parts, with its size and sum', async () => {
    const bytes = randomBytes(12 * MB + 17);
    let counted = 0;
    const onBytes = (count: number) => {
      counted += count;
    };
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    expect(await target.write('large.age', streamOf(bytes), { onBytes })).toEqual({ bytes: bytes.byteLength, sha256 });
    expect(counted).toBe(bytes.byteLength);
    expect((await read(target, 'large.age'))?.equals(bytes)).toBe(true);
  });

  it('lists archives by name and size, and removes them', async () => {
    await target.write('one.age', streamOf(Buffer.from('one')));
    await target.write('other.txt', streamOf(Buffer.from('x')));
    const found = [];
    for await (const object of target.list()) found.push(object);
    expect(found).toContainEqual({ name: 'one.age', bytes: 3, storedAt: expect.any(Date) });
    await target.remove('one.age');
    await target.remove('one.age');
    expect(await namesIn(target)).not.toContain('one.age');
    expect(await namesIn(target)).not.toContain('other.txt');
    expect(await target.read('one.age')).toBeNull();
  });

  it('has nothing of an archive that can’t be made to its end, and fails with the reason', async () => {
    for (const failAt of [0, 3 * MB, 11 * MB]) {
      const writing = target.write('failed.age', streamOf(randomBytes(12 * MB), failAt));
      await expect(writing).rejects.toThrow('the archive can’t be made');
      expect(await target.read('failed.age')).toBeNull();
    }
  });

  it('has nothing of an archive whose writing was ended', async () => {
    const aborting = new AbortController();
    const onBytes = () => aborting.abort(new Error('stopped'));
    const writing = target.write('ended.age', streamOf(randomBytes(12 * MB)), { signal: aborting.signal, onBytes });
    await expect(writing).rejects.toThrow('stopped');
    expect(await target.read('ended.age')).toBeNull();
  });
});

it.each(TARGETS)('%s takes an archive that fails before its first byte', async (_, target) => {
  const archive = streamOf(Buffer.alloc(0));
  const writing = target.write('early.age', archive);
  archive.destroy(new Error('stopped at once'));
  await expect(writing).rejects.toThrow('stopped at once');
  expect(await target.read('early.age')).toBeNull();
});

describe('a folder', () => {
  const full = (options: { minFreeBytes: number }) => createFolderTarget(join(folder, 'full'), options);

  it('on a disk that is nearly full takes no archive', async () => {
    const target = full({ minFreeBytes: Number.MAX_SAFE_INTEGER });
    await expect(target.write('a.age', streamOf(randomBytes(MB)))).rejects.toMatchObject({ failure: 'full' });
    expect(readdirSync(join(folder, 'full'))).toEqual([]);
  });

  it('that takes no more in the middle of an archive keeps no part of it', async () => {
    const limit = (bytes: string) => execFileSync('prlimit', ['--pid', `${process.pid}`, `--fsize=${bytes}:`]);
    limit(`${2 * MB}`);
    onTestFinished(() => void limit('unlimited'));
    const writing = full({ minFreeBytes: 0 }).write('a.age', streamOf(randomBytes(4 * MB)));
    await expect(writing).rejects.toMatchObject({ failure: 'full', message: expect.stringContaining('EFBIG') });
    expect(readdirSync(join(folder, 'full'))).toEqual([]);
  });

  it('whose place has a file fails', async () => {
    writeFileSync(join(folder, 'a-file'), 'x');
    const writing = createFolderTarget(join(folder, 'a-file')).write('a.age', streamOf(randomBytes(MB)));
    await expect(writing).rejects.toMatchObject({ failure: 'away' });
  });

  describe('that others use', () => {
    const shared = join(folder, 'shared');
    const target = createFolderTarget(shared, { minFreeBytes: 0 });
    const old = (name: string) => {
      writeFileSync(join(shared, name), 'x');
      utimesSync(join(shared, name), new Date(0), new Date(0));
    };
    beforeAll(() => void mkdirSync(shared));

    it('has no archive that is a link, or no file', async () => {
      writeFileSync(join(folder, 'elsewhere'), 'secret');
      symlinkSync(join(folder, 'elsewhere'), join(shared, 'link.age'));
      execFileSync('mkfifo', [join(shared, 'pipe.age')]);
      expect(await namesIn(target)).toEqual([]);
      for (const name of ['link.age', 'pipe.age']) expect(await target.read(name), name).toBeNull();
    });

    it('loses no file of theirs', async () => {
      const part = `postroom-2026-11-22T03-00-00Z.age.${randomUUID()}.part`;
      for (const name of [part, 'theirs.age.part', 'report.part']) old(name);
      await target.write('own.age', streamOf(Buffer.from('own')));
      expect(readdirSync(shared)).toEqual(expect.arrayContaining(['own.age', 'report.part', 'theirs.age.part']));
      expect(readdirSync(shared)).not.toContain(part);
    });

    it('keeps the archive of a server that writes one of the same name at the same time', async () => {
      const [one, other] = [randomBytes(MB), randomBytes(MB)];
      const results = await Promise.allSettled([
        createFolderTarget(shared, { minFreeBytes: 0 }).write('same.age', streamOf(one)),
        target.write('same.age', streamOf(other)),
      ]);
      expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      const kept = results[0].status === 'fulfilled' ? one : other;
      expect((await read(target, 'same.age'))?.equals(kept)).toBe(true);
      const failed = results.find((result) => result.status === 'rejected');
      expect(failed?.reason.message).toBe(
        `${join(shared, 'same.age')} exists already. Another server may use this folder.`,
      );
      expect(readdirSync(shared).filter((name) => name.startsWith('same.age.'))).toEqual([]);
    });
  });

  it('that is not there has no archives', async () => {
    expect(await namesIn(createFolderTarget(join(folder, 'not-there')))).toEqual([]);
    mkdirSync(join(folder, 'with-folders', 'a.age'), { recursive: true });
    expect(await namesIn(createFolderTarget(join(folder, 'with-folders')))).toEqual([]);
  });
});

describe('a bucket', () => {
  const bytes = randomBytes(12 * MB);

  it.each(['unavailable', 'cut', 'hang'] as const)(
    'gets each part again that a server answers with: %s',
    async (fault) => {
      let faults = 0;
      proxy.script = ({ method }) => (method === 'PUT' && faults++ % 2 === 0 ? fault : 'pass');
      await behindProxy.write('again.age', streamOf(bytes));
      expect(faults).toBeGreaterThan(2);
      expect((await read(behindProxy, 'again.age'))?.equals(bytes)).toBe(true);
      await behindProxy.remove('again.age');
    },
  );

  it('gets larger parts as its archives grow, because the number of parts is limited', async () => {
    const options = { ...bucketOptions, endpoint: proxy.endpoint, prefix: 'grown', maxParts: 4 };
    // No part is sent twice on a busy machine.
    const target = createBucketTarget({ ...options, patient: { maxAttempts: 1, socketTimeout: 60_000 } });
    const partsOf = async (name: string, size: number) => {
      let parts = 0;
      proxy.script = ({ method }) => {
        if (method === 'PUT') parts += 1;
        return 'pass';
      };
      await target.write(name, streamOf(randomBytes(size)));
      return parts;
    };
    // An archive of unknown size goes in parts of 40 MB, the next in parts of 5 MB, and one of twice 22 MB in four parts.
    expect(await partsOf('first.age', 6 * MB)).toBe(1);
    expect(await partsOf('second.age', 22 * MB)).toBe(5);
    expect(await partsOf('third.age', 22 * MB)).toBe(2);
    await target.remove('first.age');
  });

  it('is waited for while its server is away for a moment', async () => {
    let chunks = 0;
    const onBytes = () => {
      chunks += 1;
      if (chunks === 100) void s3.stop().then(() => setTimeout(s3.start, 300));
    };
    const target = createBucketTarget({ ...bucketOptions, patient: { maxAttempts: 12, socketTimeout: 2_000 } });
    await target.write('waited.age', streamOf(bytes), { onBytes });
    expect((await read(target, 'waited.age'))?.equals(bytes)).toBe(true);
  });

  it.each(['unavailable', 'cut', 'hang'] as const)(
    'that stays away fails in the end, and has nothing: %s',
    async (fault) => {
      let puts = 0;
      proxy.script = ({ method }) => (method === 'PUT' && ++puts > 1 ? fault : 'pass');
      const target = createBucketTarget({
        ...bucketOptions,
        endpoint: proxy.endpoint,
        patient: { maxAttempts: 2, socketTimeout: 300 },
      });
      await expect(target.write('away.age', streamOf(bytes))).rejects.toMatchObject({ failure: 'away' });
      proxy.script = () => 'pass';
      expect(await target.read('away.age')).toBeNull();
    },
  );

  it('is read to its end although the connection breaks', async () => {
    await inBucket.write('broken.age', streamOf(bytes));
    let reads = 0;
    const target = createBucketTarget({ ...bucketOptions, endpoint: proxy.endpoint });
    const sockets: IncomingMessage['socket'][] = [];
    proxy.script = ({ socket }) => {
      reads += 1;
      sockets.push(socket);
      return 'pass';
    };
    const parts: Buffer[] = [];
    for await (const chunk of (await target.read('broken.age')) as Readable) {
      if (parts.length === 3 || parts.length === 30) sockets.at(-1)?.destroy();
      parts.push(chunk);
    }
    expect(Buffer.concat(parts).equals(bytes)).toBe(true);
    expect(reads).toBeGreaterThan(1);
  });

  it('refuses a wrong secret, without a word of it', async () => {
    const credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'wrong-secret' };
    const target = createBucketTarget({ ...bucketOptions, credentials });
    const error = await target.write('a.age', streamOf(randomBytes(10))).catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ failure: 'away', message: expect.stringContaining('SignatureDoesNotMatch') });
    expect(JSON.stringify(error)).not.toContain('wrong-secret');
  });
});
