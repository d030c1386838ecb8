import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import {
  AbortMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  type S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { log } from '@/server/log';
import {
  type BucketOptions,
  createBucketStore,
  createS3Client,
  listObjects,
  orMissing,
  rethrow,
  storeErrorOf,
} from '@/server/object-store/bucket';
import type { StoredObject } from '@/server/object-store/port';
import { measure } from './measure';
import { type BackupTarget, isArchive, type StoredArchive } from './port';

const MAX_PARTS = 10_000;
/** For an archive of up to 80 GB. One part is in memory. */
const PART_BYTES = 8 * 1024 * 1024;
/** Where no archive tells how large they are: up to 640 GB. */
const FIRST_PARTS = 8;
/** Room for an archive that has this many times the size of the largest one. Some storage needs parts of the same size. */
const GROWTH = 2;
const ABANDONED_AFTER_MS = 24 * 3_600_000;

/** The pauses between the attempts of a call grow to 20 seconds: storage that is away for a few minutes is waited for. */
const PATIENT = { maxAttempts: 20, socketTimeout: 30_000 };
const IMPATIENT = { maxAttempts: 2, socketTimeout: 10_000 };
/** How often a download that breaks off is resumed without receiving anything. */
const MAX_RESUMPTIONS = 5;

type Options = BucketOptions & {
  patient?: { maxAttempts: number; socketTimeout: number };
  partBytes?: number;
  maxParts?: number;
};

/** Archives as objects of S3-compatible storage. What is uploaded in parts is there once all of it is. */
export function createBucketTarget(options: Options): BackupTarget {
  const { bucket: Bucket, prefix, patient = PATIENT, partBytes = PART_BYTES, maxParts = MAX_PARTS } = options;
  const store = createBucketStore(options);
  const client = createS3Client(options, patient);
  const quick = createS3Client(options, IMPATIENT);
  const head = prefix === '' ? '' : `${prefix}/`;
  const placeOf = (name: string) => ({ Bucket, Key: `${head}${name}` });

  async function* list(): AsyncGenerator<StoredObject> {
    // The delimiter leaves out what is in folders, such as the backups of mail.
    const place = { Bucket, Prefix: head, Delimiter: '/' };
    const objects = listObjects(place, (page) => quick.send(new ListObjectsV2Command(page)).catch(rethrow));
    for await (const object of objects) if (isArchive(object.name)) yield object;
  }

  return {
    label: store.label,
    isShared: true,
    async write(name, archive, { signal, onBytes } = {}) {
      const { chunks, failure, measured } = measure(archive, onBytes);
      await abortAbandoned(quick, Bucket, head);
      const largest = await largestOf(list()).catch(() => null);
      const partSize =
        largest === null ? partBytes * FIRST_PARTS : Math.max(partBytes, Math.ceil((largest * GROWTH) / maxParts));
      const upload = new Upload({
        client,
        params: { ...placeOf(name), Body: Readable.from(chunks(), { objectMode: false }) },
        partSize,
        queueSize: 1,
        leavePartsOnError: true,
      });
      const abort = () => void upload.abort();
      signal?.addEventListener('abort', abort);
      try {
        signal?.throwIfAborted();
        await upload.done();
        return measured();
      } catch (error) {
        archive.destroy();
        const stored = failure() || signal?.aborted ? null : await storedNevertheless(quick, placeOf(name), measured());
        if (stored) return stored;
        await abortUpload(quick, placeOf(name), upload.uploadId);
        signal?.throwIfAborted();
        throw failure()?.error ?? storeErrorOf(error);
      } finally {
        signal?.removeEventListener('abort', abort);
      }
    },
    async read(name) {
      const first = await quick
        .send(new GetObjectCommand(placeOf(name)))
        .catch(orMissing)
        .catch(rethrow);
      return first?.Body ? Readable.from(resumed(client, placeOf(name), first), { objectMode: false }) : null;
    },
    list,
    remove: (name) => store.remove([name]),
    requirePlace: async () => {},
  };
}

type Place = { Bucket: string; Key: string };
type Answer = { Body?: unknown; ContentLength?: number; ETag?: string };

/** The bytes of an object, also if its connection breaks. */
async function* resumed(client: S3Client, place: Place, first: Answer): AsyncGenerator<Buffer> {
  const { ContentLength: length = 0, ETag: IfMatch } = first;
  let [answer, offset, failures]: [Answer, number, number] = [first, 0, 0];
  for (;;) {
    try {
      for await (const chunk of answer.Body as AsyncIterable<Buffer>) {
        yield chunk;
        offset += chunk.byteLength;
        failures = 0;
      }
      if (offset >= length) return;
      throw new Error('The storage sent less than all of it.');
    } catch (error) {
      failures += 1;
      if (failures > MAX_RESUMPTIONS) throw storeErrorOf(error);
      await setTimeout(2 ** failures * 100);
    }
    answer = await client.send(new GetObjectCommand({ ...place, Range: `bytes=${offset}-`, IfMatch })).catch(rethrow);
  }
}

/** In bytes; null if there is no archive. */
async function largestOf(archives: AsyncIterable<{ bytes: number }>): Promise<number | null> {
  let largest: number | null = null;
  for await (const { bytes } of archives) largest = Math.max(largest ?? 0, bytes);
  return largest;
}

/** The answer to the last call of an upload can be lost. */
async function storedNevertheless(
  client: S3Client,
  place: Place,
  expected: StoredArchive,
): Promise<StoredArchive | null> {
  const found = await client.send(new HeadObjectCommand(place)).catch(() => null);
  return found?.ContentLength === expected.bytes ? expected : null;
}

/** Aborts an upload: its parts would otherwise be invisible, but cost money until the next backup a day later. */
async function abortUpload(client: S3Client, place: Place, UploadId: string | undefined): Promise<void> {
  if (!UploadId) return;
  await client.send(new AbortMultipartUploadCommand({ ...place, UploadId })).catch((error: unknown) => {
    log.warn({ error, name: place.Key }, 'an unfinished upload of a backup is left in the bucket');
  });
}

/** Aborts the uploads of backups that were killed. Some storage can't list them. */
async function abortAbandoned(client: S3Client, Bucket: string, Prefix: string): Promise<void> {
  const found = await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix })).catch(() => null);
  for (const { Key = '', UploadId, Initiated } of found?.Uploads ?? []) {
    const isOld = Initiated && Date.now() - Initiated.getTime() > ABANDONED_AFTER_MS;
    if (isOld && isArchive(Key.slice(Prefix.length))) await abortUpload(client, { Bucket, Key }, UploadId);
  }
}
