import { createHash } from 'node:crypto';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandInput,
  type ListObjectsV2CommandOutput,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import pLimit from 'p-limit';
import { v5 as uuidv5 } from 'uuid';
import { type ObjectStore, type StoredObject, StoreError, withDeadline } from './port';

export type BucketOptions = {
  bucket: string;
  prefix: string;
  endpoint: string | undefined;
  region: string;
  /** `virtual`: the bucket is named in the host instead of the path. */
  style?: 'virtual';
  credentials: { accessKeyId: string; secretAccessKey: string };
  deadlineMs?: number;
};

const MAX_ATTEMPTS = 2;
const CONNECT_TIMEOUT_MS = 3_000;
const REMOVALS_AT_ONCE = 8;

type ClientOptions = Pick<BucketOptions, 'endpoint' | 'region' | 'style' | 'credentials'>;

export function createS3Client(
  { endpoint, region, style, credentials }: ClientOptions,
  { maxAttempts, socketTimeout }: { maxAttempts: number; socketTimeout?: number },
): S3Client {
  const client = new S3Client({
    endpoint,
    region,
    credentials,
    // Storage outside AWS rarely has a host name per bucket, and often no checksums of AWS.
    forcePathStyle: endpoint !== undefined && style !== 'virtual',
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts,
    requestHandler: { connectionTimeout: CONNECT_TIMEOUT_MS, socketTimeout },
  });
  client.middlewareStack.add(
    (next) => (args) => {
      addContentMd5(args.request as Sent);
      return next(args);
    },
    { step: 'build', name: 'contentMd5' },
  );
  return client;
}

type Sent = { headers: Record<string, string>; body?: unknown };

/** A bucket that locks its objects by default takes none without a checksum, and all storage knows this one. */
function addContentMd5({ headers, body }: Sent): void {
  // Objects, and the parts of large ones, are in memory.
  if (body instanceof Uint8Array) headers['content-md5'] = createHash('md5').update(body).digest('base64');
}

/** Stores objects in a bucket of S3-compatible storage. */
export function createBucketStore(options: BucketOptions): ObjectStore {
  const { bucket: Bucket, prefix, deadlineMs } = options;
  const client = createS3Client(options, { maxAttempts: MAX_ATTEMPTS });
  const head = prefix === '' ? '' : `${prefix}/`;
  const keyOf = (name: string) => `${head}${name}`;
  const bounded = <Result>(work: (signal: AbortSignal) => Promise<Result>, bytes = 0) =>
    withDeadline((abortSignal) => work(abortSignal).catch(rethrow), { bytes, deadlineMs });

  async function put(name: string, bytes: Uint8Array): Promise<void> {
    const object = new PutObjectCommand({ Bucket, Key: keyOf(name), Body: bytes });
    await bounded((abortSignal) => client.send(object, { abortSignal }), bytes.byteLength);
  }

  return {
    label: `s3://${Bucket}/${prefix}`,
    put,
    // Always the same, because some storage can't store an object only if there is none.
    putId: (name) =>
      put(name, new TextEncoder().encode(uuidv5(`${options.endpoint ?? 'aws'}/${Bucket}/${prefix}`, uuidv5.URL))),
    get: (name, maxBytes) =>
      bounded(async (abortSignal) => {
        const found = await client
          .send(new GetObjectCommand({ Bucket, Key: keyOf(name) }), { abortSignal })
          .catch(orMissing);
        if (!found?.Body) return null;
        if ((found.ContentLength ?? 0) > maxBytes) throw new Error(`${name} has more than ${maxBytes} bytes`);
        return found.Body.transformToByteArray();
      }, maxBytes),
    async remove(names) {
      const limit = pLimit(REMOVALS_AT_ONCE);
      const removeOne = (name: string) =>
        bounded((abortSignal) =>
          client.send(new DeleteObjectCommand({ Bucket, Key: keyOf(name) }), { abortSignal }).catch(orMissing),
        );
      await Promise.all(names.map((name) => limit(() => removeOne(name))));
    },
    list: () =>
      listObjects({ Bucket, Prefix: head }, (page) =>
        bounded((abortSignal) => client.send(new ListObjectsV2Command(page), { abortSignal })),
      ),
  };
}

/** The objects of a prefix, page by page, with names after it. With a delimiter, not those of its folders. */
export async function* listObjects(
  place: { Bucket: string; Prefix: string; Delimiter?: string },
  send: (page: ListObjectsV2CommandInput) => Promise<ListObjectsV2CommandOutput>,
): AsyncGenerator<StoredObject> {
  let ContinuationToken: string | undefined;
  do {
    const { Contents = [], IsTruncated, NextContinuationToken } = await send({ ...place, ContinuationToken });
    for (const { Key = '', Size: bytes = 0, LastModified: storedAt = new Date() } of Contents)
      yield { name: Key.slice(place.Prefix.length), bytes, storedAt };
    ContinuationToken = IsTruncated ? NextContinuationToken : undefined;
  } while (ContinuationToken);
}

export function orMissing(error: unknown): null {
  if (error instanceof S3ServiceException && error.name === 'NoSuchKey') return null;
  throw error;
}

export function rethrow(error: unknown): never {
  throw storeErrorOf(error);
}

export function storeErrorOf(error: unknown): StoreError {
  const { name, message, $metadata } = error as S3ServiceException;
  const isFull = $metadata?.httpStatusCode === 507 || FULL.has(name);
  // Without the cause, which holds the whole response.
  return new StoreError(isFull ? 'full' : 'away', `${name}: ${message}`);
}

const FULL: ReadonlySet<string> = new Set(['EntityTooLarge', 'QuotaExceeded', 'XMinioStorageFull']);
