import pLimit from 'p-limit';
import type { AuditAction } from '@/lib/texts/audit-actions';
import { domainFilter } from '@/server/access/authorize';
import { insertAuditEntry } from '@/server/audit';
import { AppError, notFound } from '@/server/errors';
import { log } from '@/server/log';
import { StoreError } from '@/server/object-store/port';
import type { ActorContext } from '@/server/procedures/context';
import type { FileOutput } from '@/server/rest/file';
import type { ContentJob, ContentJobResult } from './jobs/jobs';
import { runContentJobAside } from './jobs/pool';
import {
  type ContentReason,
  type ContentStatus,
  type GetAttachment,
  type MessageContent,
  REASON_MESSAGES,
} from './schema';
import { describeContent, findContent } from './status';
import { contentStore } from './store';
import { readWaiting } from './waiting';

// Sealing adds little; compression may add a little to what can't be compressed.
const MAX_OVERHEAD_BYTES = 64 * 1024;
const SLICE_BYTES = 256 * 1024;
// Each holds a whole message in memory.
const READERS_AT_ONCE = 4;
const MAX_WAITING_READERS = 64;

const reading = pLimit(READERS_AT_ONCE);

const SMTP_SOURCE = { path: ['source'], equals: 'smtp' };

/** A message in the caller's domain scope. @throws NOT_FOUND */
async function findMessage({ db, actor }: ActorContext, id: string) {
  const message = await db.message.findFirst({
    where: { AND: [{ id }, domainFilter(actor)] },
    select: {
      id: true,
      domainId: true,
      createdAt: true,
      messageId: true,
      direction: true,
      status: true,
      sizeBytes: true,
      fromAddress: true,
      subject: true,
      tags: true,
      metadata: true,
      template: true,
      recipients: { select: { address: true, kind: true }, orderBy: { id: 'asc' } },
      events: { where: { type: 'queued', detail: SMTP_SOURCE }, select: { id: true }, take: 1 },
    },
  });
  if (!message) throw notFound('message');
  return message;
}

type FoundMessage = Awaited<ReturnType<typeof findMessage>>;

/** @throws NOT_FOUND, CONTENT_UNAVAILABLE, SERVICE_UNAVAILABLE */
export async function getContent(ctx: ActorContext, { id }: { id: string }): Promise<MessageContent> {
  const message = await findMessage(ctx, id);
  const result = await run(ctx, message, (stored) => ({ kind: 'view', ...stored }));
  if (result.kind !== 'view') throw new TypeError(`unexpected result ${result.kind}`);
  return result.view;
}

/** The raw message as a file, with an audit entry. @throws the errors of {@link getContent} */
export async function downloadRaw(ctx: ActorContext, { id }: { id: string }): Promise<FileOutput> {
  const message = await findMessage(ctx, id);
  const raw = bytesOf(await run(ctx, message, (stored) => ({ kind: 'open', ...stored })));
  await auditDownload(ctx, 'message.download', message, {});
  return { filename: `${message.subject.slice(0, 80).trim() || 'message'}.eml`, chunks: slices(raw) };
}

/** An attachment as a file, with an audit entry. @throws the errors of {@link getContent} */
export async function downloadAttachment(ctx: ActorContext, { id, index }: GetAttachment): Promise<FileOutput> {
  const message = await findMessage(ctx, id);
  const result = await run(ctx, message, (stored) => ({ kind: 'attachment', index: Number(index), ...stored }));
  if (result.kind !== 'attachment') throw new TypeError(`unexpected result ${result.kind}`);
  if (!result.attachment) throw notFound('attachment');
  const { filename, contentType, content } = result.attachment;
  await auditDownload(ctx, 'message.download_attachment', message, { filename });
  return { filename, contentType: harmless(contentType), chunks: slices(content) };
}

/** A message with the bytes of a new copy of it. */
export type Copy = { message: FoundMessage; raw: Uint8Array };

/** Returns the fields that differ in a copy. */
export type NewFields = (message: FoundMessage) => { newMessageId: string; date: Date };

/** @throws the errors of {@link getContent}; CONFLICT for a received message */
export async function copyMessage(ctx: ActorContext, id: string, newFields: NewFields): Promise<Copy> {
  const message = await findMessage(ctx, id);
  if (message.direction === 'inbound') {
    throw new AppError('CONFLICT', 'Only sent messages can be resent. This message was received.');
  }
  if (message.status === 'scheduled') {
    throw new AppError('CONFLICT', 'The message has not left. Reschedule it to send it now.');
  }
  const result = await run(ctx, message, (stored) => ({ kind: 'copy', ...newFields(message), ...stored }));
  return { message, raw: bytesOf(result) };
}

type Stored = { messageId: string; sealed: Uint8Array; rawBytes: number };

async function run(
  ctx: ActorContext,
  message: FoundMessage,
  job: (stored: Stored) => ContentJob,
): Promise<ContentJobResult> {
  if (reading.pendingCount >= MAX_WAITING_READERS) throw busy();
  if (message.status === 'scheduled') {
    const result = await reading(async () => {
      const waiting = await readWaiting(ctx.db, message.id);
      return waiting && runContentJobAside(job({ messageId: message.id, ...waiting }));
    });
    if (result) return readable(result);
  }
  const row = await findContent(ctx.db, message.id);
  const isSubmittedBySmtp = message.events.length > 0;
  const status = describeContent(row, { ...message, isSubmittedBySmtp }, ctx.clock.now());
  if (status.state !== 'kept' || !row?.objectName) throw unavailable(status);
  const { rawBytes, storedBytes, storeId, objectName } = row;
  const result = await reading(async () => {
    const sealed = await readObject(objectName, storeId, storedBytes + MAX_OVERHEAD_BYTES);
    return runContentJobAside(job({ messageId: message.id, sealed, rawBytes }));
  });
  return readable(result);
}

function readable(result: ContentJobResult): ContentJobResult {
  if (result.kind === 'unreadable') throw unreadable(result.reason);
  return result;
}

async function readObject(name: string, storeId: string | null, maxBytes: number): Promise<Uint8Array> {
  try {
    const store = await contentStore();
    if (store.id !== storeId) throw unreadable('other_store');
    const sealed = await store.get(name, maxBytes);
    if (!sealed) throw unreadable('lost');
    return sealed;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    log.warn({ error }, 'reading from the content store failed');
    throw new AppError('SERVICE_UNAVAILABLE', 'The content store does not respond. Try again later.', {
      headers: { 'Retry-After': '30' },
    });
  }
}

function busy(): AppError {
  const message = 'Too many messages are being read. Try again in a few seconds.';
  return new AppError('SERVICE_UNAVAILABLE', message, { headers: { 'Retry-After': '5' } });
}

function unavailable({ state, reason, message }: ContentStatus): AppError {
  return new AppError('CONTENT_UNAVAILABLE', message ?? 'The content is not kept.', { details: { state, reason } });
}

function unreadable(reason: ContentReason): AppError {
  return new AppError('CONTENT_UNAVAILABLE', REASON_MESSAGES[reason], { details: { state: 'kept', reason } });
}

function bytesOf(result: ContentJobResult): Uint8Array {
  if (result.kind !== 'bytes') throw new TypeError(`unexpected result ${result.kind}`);
  return result.bytes;
}

function auditDownload(ctx: ActorContext, action: AuditAction, message: FoundMessage, more: object): Promise<void> {
  const { id, domainId, messageId, fromAddress, subject } = message;
  const details = { message_id: messageId, from: fromAddress, subject, ...more };
  const entry = { resource: `message:${id}`, domainId, outcome: 'success' as const, actor: ctx.actor, details };
  return insertAuditEntry(ctx.db, ctx, { action, ...entry });
}

async function* slices(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += SLICE_BYTES) yield bytes.subarray(at, at + SLICE_BYTES);
}

/** The declared type, unless a browser could run it as a page of this site. */
function harmless(contentType: string): string {
  const [type = ''] = contentType.toLowerCase().split(';');
  return MIME_TYPE.test(type) && !/html|xml|svg|script/.test(type) ? type : 'application/octet-stream';
}

const MIME_TYPE = /^[a-z0-9][\w!#$&^.+-]{0,126}\/[a-z0-9][\w!#$&^.+-]{0,126}$/;
