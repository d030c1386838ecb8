import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat, statfs, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isDiskFull } from '@/lib/disk-full';
import { createHeaderReader, messageIdOf } from './header-reader';
import { newQueueId } from './queue-id';

/** Content of `<queueId>.json`, next to the message in `<queueId>.eml`. */
export type SpoolEntry = {
  queueId: string;
  mailFrom: string;
  rcptTo: string[];
  /** Message-ID of the header, if it has one. */
  messageId: string | null;
  sizeBytes: number;
  receivedAt: string;
};

type Envelope = { mailFrom: string; rcptTo: string[] };

export class SpoolFullError extends Error {}

export class TooLargeError extends Error {}

/** Creates the folder if needed, and removes partial files of a crash at least an hour ago. */
export async function openSpool(dir: string, { minFreeBytes }: { minFreeBytes: number }) {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  await removeLeftovers(dir);
  return {
    /** @throws SpoolFullError if less than `minFreeBytes` plus the announced size is free */
    async requireSpace(announcedBytes: number): Promise<void> {
      const { bavail, bsize } = await statfs(dir);
      if (bavail * bsize < minFreeBytes + announcedBytes) throw new SpoolFullError('Insufficient system storage');
    },
    /** A due report stays due until it is marked as done, also after a crash. */
    store: (envelope: Envelope, message: AsyncIterable<Buffer>, options: { maxBytes: number; isReportDue: boolean }) =>
      store(dir, envelope, message, options),
    dueReports: () => listDueReports(dir),
    markReported: (queueId: string) => rm(filesOf(dir, queueId).due, { force: true }),
    /** Null if the message no longer exists. */
    find: (queueId: string) => find(dir, queueId),
    read: (queueId: string): AsyncIterable<Buffer> => createReadStream(filesOf(dir, queueId).eml),
    load: (queueId: string): Promise<Uint8Array> => readFile(filesOf(dir, queueId).eml),
    async remove(queueId: string): Promise<void> {
      for (const file of Object.values(filesOf(dir, queueId))) await rm(file, { force: true });
    },
  };
}

export type Spool = Awaited<ReturnType<typeof openSpool>>;

/**
 * Stores one message: durable once this resolves, without a trace if it rejects. The message is read to its end either way,
 * because the sender can't be answered before. The other files exist before the `.eml` appears.
 */
async function store(
  dir: string,
  envelope: Envelope,
  message: AsyncIterable<Buffer>,
  { maxBytes, isReportDue }: { maxBytes: number; isReportDue: boolean },
): Promise<{ entry: SpoolEntry; header: Buffer }> {
  const queueId = newQueueId();
  const { eml, emlDraft, due, json, jsonDraft } = filesOf(dir, queueId);
  const reader = createHeaderReader();
  try {
    const sizeBytes = await writeMessage(emlDraft, reader.passOn(message), maxBytes);
    const header = reader.header();
    const messageId = messageIdOf(header);
    const entry = { queueId, ...envelope, messageId, sizeBytes, receivedAt: new Date().toISOString() };
    const file = await open(jsonDraft, 'wx', 0o600);
    await writeAndSync(file, () => file.appendFile(`${JSON.stringify(entry)}\n`));
    await rename(jsonDraft, json);
    if (isReportDue) await writeFile(due, '', { mode: 0o600 });
    await rename(emlDraft, eml);
    await syncFolder(dir);
    return { entry, header };
  } catch (error) {
    for (const file of Object.values(filesOf(dir, queueId))) await rm(file, { force: true }).catch(ignore);
    throw isDiskFull(error) ? new SpoolFullError('Insufficient system storage', { cause: error }) : error;
  }
}

// In order of removal: without its `.eml`, the other files are ignored.
function filesOf(dir: string, queueId: string) {
  // Without the mark, the build traces every file of the project.
  const file = (extension: string) => path.join(/*turbopackIgnore: true*/ dir, `${queueId}${extension}`);
  return {
    eml: file('.eml'),
    emlDraft: file('.eml.part'),
    due: file(DUE),
    json: file('.json'),
    jsonDraft: file('.json.part'),
  };
}

async function listDueReports(dir: string): Promise<string[]> {
  const names = new Set(await readdir(/*turbopackIgnore: true*/ dir));
  const due = [...names].filter((name) => name.endsWith(DUE)).map((name) => name.slice(0, -DUE.length));
  return due.filter((queueId) => names.has(`${queueId}.eml`)).sort();
}

async function find(dir: string, queueId: string): Promise<SpoolEntry | null> {
  const text = await readFile(filesOf(dir, queueId).json, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  return text === null ? null : JSON.parse(text);
}

async function writeMessage(file: string, message: AsyncIterable<Buffer>, maxBytes: number): Promise<number> {
  let sizeBytes = 0;
  let failure: unknown;
  const read = async (write: (chunk: Buffer) => Promise<void>) => {
    for await (const chunk of message) {
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes) failure ??= new TooLargeError('Message too large');
      if (failure === undefined) await write(chunk);
    }
    if (failure !== undefined) throw failure;
  };
  const fail = (error: unknown) => {
    failure = error;
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
  const names = new Set(await readdir(/*turbopackIgnore: true*/ dir));
  for (const name of names) {
    const isOrphanedMarker = name.endsWith(DUE) && !names.has(`${name.slice(0, -DUE.length)}.eml`);
    if (!name.endsWith(DRAFT) && !isOrphanedMarker) continue;
    const file = path.join(dir, name);
    const modifiedAt = await stat(file).then(
      (found) => found.mtimeMs,
      () => Date.now(),
    );
    if (Date.now() - modifiedAt > LEFTOVER_MS) await rm(file, { force: true });
  }
}

function ignore() {}

const DRAFT = '.part';
const DUE = '.due';
const LEFTOVER_MS = 60 * 60 * 1000;
