import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, describe, expect, it } from 'vitest';
import { startS3Server } from '@/test/servers/s3';
import { createBucketStore, createS3Client } from './bucket';
import { createFolderStore } from './folder';
import type { ObjectStore } from './port';

const s3 = await startS3Server();
const folder = await mkdtemp(path.join(tmpdir(), 'postroom-store-'));
const inBucket = { ...s3, prefix: 'some/prefix', region: 'us-east-1' };

afterAll(async () => {
  await s3.close();
  await rm(folder, { recursive: true, force: true });
});

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (found: Uint8Array | null) => found && new TextDecoder().decode(found);

async function namesIn(store: ObjectStore): Promise<string[]> {
  const names: string[] = [];
  for await (const object of store.list()) names.push(object.name);
  return names.toSorted();
}

const STORES: [string, () => ObjectStore][] = [
  ['a folder', () => createFolderStore(folder, { minFreeBytes: 0 })],
  ['a bucket', () => createBucketStore(inBucket)],
];

describe.each(STORES)('%s', (_, open) => {
  const store = open();

  it('gives back what was stored, and replaces it', async () => {
    await store.put('2026-11-22/14/a', bytes('one'));
    expect(text(await store.get('2026-11-22/14/a', 100))).toBe('one');
    await store.put('2026-11-22/14/a', bytes('two'));
    expect(text(await store.get('2026-11-22/14/a', 100))).toBe('two');
  });

  it('has no object under a name that was never stored', async () => {
    expect(await store.get('2026-11-22/14/none', 100)).toBeNull();
  });

  it('lists everything folder by folder, with size and time', async () => {
    const names = ['2026-01-02/03/b', '2026-01-02/03/c', '2026-01-02/04/d'];
    for (const name of names) await store.put(name, bytes('four'));
    expect(await namesIn(store)).toEqual(expect.arrayContaining(names));
    const folders: string[] = [];
    for await (const { name, ...object } of store.list()) {
      if (!names.includes(name)) continue;
      expect(object).toEqual({ bytes: 4, storedAt: expect.any(Date) });
      folders.push(name.slice(0, -2));
    }
    expect(folders).toEqual(['2026-01-02/03', '2026-01-02/03', '2026-01-02/04']);
  });

  it('removes objects, and ignores missing ones', async () => {
    await store.put('2026-05-05/01/e', bytes('x'));
    await store.remove(['2026-05-05/01/e', '2026-05-05/01/missing']);
    expect(await store.get('2026-05-05/01/e', 100)).toBeNull();
    expect(await namesIn(store)).not.toContain('2026-05-05/01/e');
  });

  it('does not read more than the expected size', async () => {
    await store.put('2026-06-06/01/f', bytes('too long'));
    await expect(store.get('2026-06-06/01/f', 3)).rejects.toThrow('bytes');
  });
});

it.each(STORES)('%s has one id, also if several give it one at once', async (_, open) => {
  await Promise.all([open(), open(), open()].map((store) => store.putId('store-id')));
  const kept = text(await open().get('store-id', 100));
  await open().putId('store-id');
  expect(text(await open().get('store-id', 100))).toBe(kept);
});

it('a folder is made with its first object', async () => {
  const store = createFolderStore(path.join(folder, 'new', 'store'), { minFreeBytes: 0 });
  await store.put('2026-07-07/01/f', bytes('first'));
  expect(text(await store.get('2026-07-07/01/f', 100))).toBe('first');
});

it('objects that are stored at the same time are stored each on its own', async () => {
  const store = createFolderStore(folder, { minFreeBytes: 1_000 });
  const names = Array.from({ length: 100 }, (_, index) => `2026-09-09/0${index % 10}/${index}`);
  const stored = await Promise.allSettled([
    ...names.map((name) => store.put(name, bytes(name))),
    store.put('2026-09-09/00/0/below-a-file', bytes('x')),
  ]);
  expect(stored.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  for (const name of names) expect(text(await store.get(name, 100))).toBe(name);
});

it('a folder on a disk that is nearly full stores nothing', async () => {
  const store = createFolderStore(folder, { minFreeBytes: Number.MAX_SAFE_INTEGER });
  await expect(store.put('2026-07-07/01/g', bytes('x'))).rejects.toMatchObject({ failure: 'full' });
});

it('a file in the place of the folder fails', async () => {
  const file = path.join(folder, 'a-file');
  await writeFile(file, 'x');
  await expect(createFolderStore(file).put('a/b', bytes('x'))).rejects.toMatchObject({ failure: 'away' });
});

it('a folder that hangs holds few threads, fails at once after its deadline, and works again when it is back', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  const pipes = names.map((name) => path.join(folder, `hanging-${name}`));
  execFileSync('mkfifo', pipes);
  const store = createFolderStore(folder, { minFreeBytes: 0, deadlineMs: 100 });
  const reads = Promise.allSettled(names.map((name) => store.get(`hanging-${name}`, 10)));
  // It needs a thread, too.
  expect(text(await readFile(import.meta.filename))).toContain('needs a thread');
  const failure = { status: 'rejected', reason: { message: expect.stringContaining('did not respond in time') } };
  expect(await reads).toMatchObject(names.map(() => failure));
  for (const call of [store.get('x', 10), store.put('x', bytes('x')), store.remove(['x'])])
    await expect(call).rejects.toMatchObject({ failure: 'away', message: `${folder} does not respond.` });

  // To open the other end lets a read go on.
  const ends = await Promise.all(pipes.slice(0, 2).map((pipe) => open(pipe, 'w')));
  await Promise.all(ends.map((end) => end.close()));
  const putAgain = () => store.put('back', bytes('again')).catch((error: Error) => error);
  await expect.poll(putAgain).toBeUndefined();
  expect(text(await store.get('back', 10))).toBe('again');
  await Promise.all(pipes.map((pipe) => rm(pipe)));
});

it('a stopped storage server fails, and works again when it is back', async () => {
  const store = createBucketStore(inBucket);
  await store.put('2026-08-08/01/h', bytes('x'));
  await s3.stop();
  await expect(store.put('2026-08-08/01/i', bytes('x'))).rejects.toMatchObject({ failure: 'away' });
  await expect(store.get('2026-08-08/01/h', 100)).rejects.toMatchObject({ failure: 'away' });
  await s3.start();
  expect(text(await store.get('2026-08-08/01/h', 100))).toBe('x');
});

it('a storage server that never answers fails at the deadline', async () => {
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const store = createBucketStore({ ...inBucket, endpoint, deadlineMs: 200 });
  await expect(store.put('a/b', bytes('x'))).rejects.toMatchObject({ failure: 'away' });
  silent.close();
});

it.each([
  [undefined, 's3.example.com/content/a'],
  ['virtual', 'content.s3.example.com/a'],
] as const)('a bucket of the style %s is called at %s', async (style, url) => {
  const options = { ...inBucket, endpoint: 'https://s3.example.com', style };
  const client = createS3Client(options, { maxAttempts: 1 });
  let called = '';
  client.middlewareStack.add(
    () => async (args) => {
      const request = args.request as { hostname: string; path: string };
      called = request.hostname + request.path;
      return { output: { $metadata: {} }, response: {} };
    },
    { step: 'finalizeRequest', priority: 'high' },
  );
  await client.send(new GetObjectCommand({ Bucket: s3.bucket, Key: 'a' }));
  expect(called).toBe(url);
});

it('an object is sent with its MD5 sum', async () => {
  const sums: unknown[] = [];
  const server = createHttpServer(async (request, response) => {
    const sum = createHash('md5').update(await buffer(request));
    sums.push([request.headers['content-md5'], sum.digest('base64')]);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await createBucketStore({ ...inBucket, endpoint }).put('a/b', bytes('x'));
  expect(sums).toEqual([['ndTkYSaMgDT1yFZOFVxnpg==', 'ndTkYSaMgDT1yFZOFVxnpg==']]);
  server.closeAllConnections();
  server.close();
});

it('a wrong secret is refused', async () => {
  const credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'wrong' };
  await expect(createBucketStore({ ...inBucket, credentials }).put('a/b', bytes('x'))).rejects.toMatchObject({
    failure: 'away',
    message: expect.stringContaining('SignatureDoesNotMatch'),
  });
});
