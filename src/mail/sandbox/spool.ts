import { type FileHandle, mkdir, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import { newQueueId } from './queue-id';

/** What `<queueId>.json` holds beside the message in `<queueId>.eml`. */
export type SpoolEntry = {
  queueId: string;
  mailFrom: string;
  rcptTo: string[];
  sizeBytes: number;
  receivedAt: string;
};

export class SpoolFullError extends Error {}

export class TooLargeError extends Error {}

/** Creates the folder if need be and removes what a crash an hour or more ago left half written. */
export async function openSpool(dir: string, { minFreeBytes }: { minFreeBytes: number }) {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  await removeLeftovers(dir);
  return {
    /** @throws SpoolFullError where less than `minFreeBytes` beyond the announced size are free */
    async requireSpace(announcedBytes: number): Promise<void> {
      const { bavail, bsize } = await statfs(dir);
      if (bavail * bsize < minFreeBytes + announcedBytes) throw new SpoolFullError('Insufficient system storage');
    },
    store: (envelope: { mailFrom: string; rcptTo: string[] }, message: AsyncIterable<Buffer>, maxBytes: number) =>
      store(dir, envelope, message, maxBytes),
  };
}

export type Spool = Awaited<ReturnType<typeof openSpool>>;

/**
 * Keeps one message: durable once this resolves, no trace of it if this rejects. The message is read to its end either
 * way, as its sender cannot be answered before. The `.json` is in place before the `.eml` appears.
 */
async function store(
  dir: string,
  envelope: { mailFrom: string; rcptTo: string[] },
  message: AsyncIterable<Buffer>,
  maxBytes: number,
): Promise<SpoolEntry> {
  const queueId = newQueueId();
  const draft = path.join(dir, `${queueId}.eml${DRAFT}`);
  const envelopeDraft = path.join(dir, `${queueId}.json${DRAFT}`);
  const kept = { message: path.join(dir, `${queueId}.eml`), envelope: path.join(dir, `${queueId}.json`) };
  try {
    const sizeBytes = await writeMessage(draft, message, maxBytes);
    const entry = { queueId, ...envelope, sizeBytes, receivedAt: new Date().toISOString() };
    const file = await open(envelopeDraft, 'wx', 0o600);
    await writeAndSync(file, () => file.appendFile(`${JSON.stringify(entry)}\n`));
    await rename(envelopeDraft, kept.envelope);
    await rename(draft, kept.message);
    await syncFolder(dir);
    return entry;
  } catch (error) {
    for (const file of [kept.message, kept.envelope, draft, envelopeDraft])
      await rm(file, { force: true }).catch(ignore);
    throw isFull(error) ? new SpoolFullError('Insufficient system storage', { cause: error }) : error;
  }
}

async function writeMessage(file: string, message: AsyncIterable<Buffer>, maxBytes: number): Promise<number> {
  let sizeBytes = 0;
  let fault: unknown;
  const read = async (write: (chunk: Buffer) => Promise<void>) => {
    for await (const chunk of message) {
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes) fault ??= new TooLargeError('Message too large');
      if (fault === undefined) await write(chunk);
    }
    if (fault !== undefined) throw fault;
  };
  const fail = (error: unknown) => {
    fault = error;
  };
  const handle = await open(file, 'wx', 0o600).catch(fail);
  if (!handle) await read(async () => {});
  else await writeAndSync(handle, () => read((chunk) => handle.appendFile(chunk).catch(fail)));
  return sizeBytes;
}

async function writeAndSync(handle: FileHandle, write: () => Promise<void>): Promise<void> {
  try {
    await write();
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function syncFolder(dir: string): Promise<void> {
  const handle = await open(dir, 'r');
  await writeAndSync(handle, async () => {});
}

async function removeLeftovers(dir: string): Promise<void> {
  for (const name of await readdir(dir)) {
    if (!name.endsWith(DRAFT)) continue;
    const file = path.join(dir, name);
    const modifiedAt = await stat(file).then(
      (found) => found.mtimeMs,
      () => Date.now(),
    );
    if (Date.now() - modifiedAt > LEFTOVER_MS) await rm(file, { force: true });
  }
}

function isFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(String(error.code));
}

function ignore() {}

const DRAFT = '.part';
const LEFTOVER_MS = 60 * 60 * 1000;
