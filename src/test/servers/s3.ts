import { randomUUID } from 'node:crypto';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import S3rver from '@20minutes/s3rver';

const BUCKET = 'content';
const NO_CHECKSUM =
  '<Error><Code>InvalidRequest</Code><Message>Content-MD5 is required for Put requests with Object Lock</Message></Error>';

/**
 * A real S3-compatible server with one bucket, on a port that stays the same when it is stopped and started. As a bucket does that
 * locks its objects by default, it takes none without a checksum.
 */
export async function startS3Server() {
  const directory = await mkdtemp(path.join(tmpdir(), 'postroom-s3-'));
  const options = { directory, silent: true, configureBuckets: [{ name: BUCKET, configs: [] }] };
  const strict = new S3rver(options);
  await strict.configureBuckets();
  storeWhole(strict);
  // It computes the signature of calls about the bucket without the slash at the end of their path, and so finds none right.
  const lenient = new S3rver({ ...options, allowMismatchedSignatures: true });
  const [ofObject, ofBucket] = [strict.callback(), lenient.callback()];
  let server: Server | undefined;
  let port = 0;

  async function start(): Promise<void> {
    const started = createServer((request, response) =>
      isUnchecked(request)
        ? response.writeHead(400).end(NO_CHECKSUM)
        : (isAboutBucket(request.url) ? ofBucket : ofObject)(request, response),
    );
    await new Promise<void>((resolve) => started.listen(port, '127.0.0.1', resolve));
    server = started;
    port = (started.address() as AddressInfo).port;
  }

  async function stop(): Promise<void> {
    const stopped = server;
    server = undefined;
    stopped?.closeAllConnections();
    await new Promise<void>((resolve) => (stopped ? stopped.close(() => resolve()) : resolve()));
  }

  await start();
  return {
    bucket: BUCKET,
    endpoint: `http://127.0.0.1:${port}`,
    credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
    start,
    stop,
    async close() {
      await stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** As S3 does. On its own, the server writes an object in place, and keeps what it has when its client goes away. */
function storeWhole({ store }: S3rver): void {
  const write = store.putContent.bind(store);
  store.putContent = async (file, content) => {
    const unfinished = path.join(path.dirname(file), `${randomUUID()}.unfinished`);
    try {
      const written = await write(unfinished, content);
      await rename(unfinished, file);
      return written;
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    }
  };
}

function isUnchecked({ method, headers }: IncomingMessage): boolean {
  return method === 'PUT' && !headers['content-md5'];
}

function isAboutBucket(url = ''): boolean {
  return url === `/${BUCKET}/` || url.startsWith(`/${BUCKET}/?`);
}
