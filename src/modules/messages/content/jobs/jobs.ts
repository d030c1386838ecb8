import { promisify } from 'node:util';
import { gunzip, gzip, gzipSync } from 'node:zlib';
import { hasSealingKey, sealBytes, unsealBytes } from '@/server/secrets/sealing';
import type { ContentReason, MessageContent } from '../schema';
import type { Attachment } from './attached-file';
import { newCopyOf } from './new-copy';
import { attachmentIn, viewOf } from './view';

type Stored = { messageId: string; sealed: Uint8Array; rawBytes: number };

/** Work on the content of a message, whose duration grows with its size. */
export type ContentJob =
  | { kind: 'seal'; messageId: string; raw: Uint8Array }
  | ({ kind: 'open' } & Stored)
  | ({ kind: 'view' } & Stored)
  | ({ kind: 'attachment'; index: number } & Stored)
  | ({ kind: 'copy'; newMessageId: string; date: Date } & Stored);

export type ContentJobResult =
  | { kind: 'bytes'; bytes: Uint8Array }
  | { kind: 'view'; view: MessageContent }
  | { kind: 'attachment'; attachment: Attachment | null }
  | { kind: 'unreadable'; reason: Extract<ContentReason, 'wrong_key' | 'damaged'> };

/** Below this, compressing takes less time than the way to a thread: 0.1 ms. */
const SMALL_BYTES = 16 * 1024;
/** Two thirds of the time of the default level for a few bytes more. */
const SMALL_LEVEL = 3;

const compressAside = promisify(gzip);
const decompress = promisify(gunzip);

export async function runContentJob(job: ContentJob): Promise<ContentJobResult> {
  if (job.kind === 'seal') {
    return { kind: 'bytes', bytes: sealBytes(placeOf(job.messageId), [await compress(job.raw)]) };
  }
  if (!hasSealingKey(job.sealed)) return { kind: 'unreadable', reason: 'wrong_key' };
  const raw = await open(job).catch(() => null);
  if (!raw) return { kind: 'unreadable', reason: 'damaged' };
  if (job.kind === 'view') return { kind: 'view', view: await viewOf(raw) };
  if (job.kind === 'attachment') return { kind: 'attachment', attachment: await attachmentIn(raw, job.index) };
  return { kind: 'bytes', bytes: job.kind === 'copy' ? newCopyOf(raw, job.newMessageId, job.date) : raw };
}

/** The bytes that may be transferred between threads, not copied. */
export function bytesOfResult(result: ContentJobResult): Uint8Array[] {
  if (result.kind === 'bytes') return [result.bytes];
  return result.kind === 'attachment' && result.attachment ? [result.attachment.content] : [];
}

async function compress(raw: Uint8Array): Promise<Uint8Array> {
  return raw.byteLength <= SMALL_BYTES ? gzipSync(raw, { level: SMALL_LEVEL }) : compressAside(raw);
}

async function open({ messageId, sealed, rawBytes }: Stored): Promise<Uint8Array> {
  const compressed = unsealBytes(placeOf(messageId), sealed);
  // The size is bounded, whatever the object holds.
  const raw = await decompress(compressed, { maxOutputLength: Math.max(rawBytes, 1) });
  return new Uint8Array(raw.buffer, raw.byteOffset, raw.byteLength);
}

function placeOf(messageId: string): string {
  return `message_content.object:${messageId}`;
}
