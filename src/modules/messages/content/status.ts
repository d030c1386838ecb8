import type { Tx } from '@/server/database/db';
import type { ContentState, ContentReason as StoredReason } from '@/server/prisma/client';
import { env } from '@/server/settings/env';
import type { MessageStatus } from '../schema';
import { type ContentReason, type ContentStatus, REASON_MESSAGES } from './schema';

const DAY_MS = 24 * 60 * 60 * 1000;
// Longer than content waits to be stored, unless the store is slow.
const PENDING_MS = 60_000;

export type StoredContent = {
  state: ContentState;
  reason: StoredReason | null;
  rawBytes: number;
  storedBytes: number;
  storeId: string | null;
  objectName: string | null;
  storedAt: Date;
};

type Described = { createdAt: Date; status: MessageStatus; sizeBytes: number; isSubmittedBySmtp: boolean };

export function findContent(db: Tx, messageId: string): Promise<StoredContent | null> {
  return db.messageContent.findUnique({ where: { messageId } });
}

/** Returns the state of a message's content. Without a row, the content was never stored, or not yet. */
export function describeContent(row: StoredContent | null, message: Described, now: Date): ContentStatus {
  if (message.status === 'scheduled') {
    return { state: 'kept', reason: null, message: null, size: message.sizeBytes, expires_at: null };
  }
  if (!row) return withoutRow(message, now);
  const { state, reason, rawBytes: size, storedAt } = row;
  const expiresAt = new Date(storedAt.getTime() + env().messageContentDays * DAY_MS);
  if (state === 'kept' && expiresAt > now) {
    return { state, reason: null, message: null, size, expires_at: expiresAt.toISOString() };
  }
  if (state === 'kept' || (state === 'expired' && reason === null)) return expired(size);
  return { state, reason, message: reason && REASON_MESSAGES[reason], size, expires_at: null };
}

function withoutRow({ createdAt, status, isSubmittedBySmtp }: Described, now: Date): ContentStatus {
  const notKept = (reason: Extract<ContentReason, 'off' | 'cancelled' | 'submitted_by_smtp' | 'not_stored'>) => ({
    state: 'not_kept' as const,
    reason,
    message: REASON_MESSAGES[reason],
    size: null,
    expires_at: null,
  });
  if (status === 'cancelled') return notKept('cancelled');
  if (env().messageContentDays === 0) return notKept('off');
  if (isSubmittedBySmtp) return notKept('submitted_by_smtp');
  if (now.getTime() - createdAt.getTime() > PENDING_MS) return notKept('not_stored');
  const message = 'The content is being stored. Try again in a moment.';
  return { state: 'pending', reason: null, message, size: null, expires_at: null };
}

function expired(size: number): ContentStatus {
  const message = `Message content is deleted after ${env().messageContentDays} days.`;
  return { state: 'expired', reason: null, message, size, expires_at: null };
}
