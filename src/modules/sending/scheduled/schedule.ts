import { formatBytes, formatCount } from '@/lib/format';
import { parseAddress } from '@/lib/mail/address';
import { tagText, templateTag } from '@/lib/mail/message-tags';
import { uuidv7 } from '@/lib/uuid';
import { sealWaiting, storeWaiting } from '@/modules/messages/service';
import { type AuthorizedDomain, authorizeDomain, requireSender } from '@/server/access/authorize';
import type { Database, Tx } from '@/server/database/db';
import { AppError } from '@/server/errors';
import { Prisma } from '@/server/prisma/client';
import type { ActorContext } from '@/server/procedures/context';
import type { PreparedMessage } from '../composing/message-jobs';
import type { Sent } from '../schema';
import { type IdempotencySlot, messageRow } from '../submission/message-row';
import { requireSendable } from '../submission/submit';

/** Scheduled messages of a domain, and the bytes of all that wait, which are in the database. */
const MAX_OF_DOMAIN = 10_000;
const MAX_BYTES = 1024 ** 3;
/** When some of the messages leave isn't known. */
const RETRY_LATER = { headers: { 'Retry-After': '60' } };

type Stored = { id: string; messageId: string; domain: AuthorizedDomain };

type Options = {
  slot?: IdempotencySlot;
  /** Runs the transaction that stores the message, with its audit entry if it has one. */
  store: (message: Stored, work: (tx: Tx) => Promise<void>) => Promise<void>;
};

/**
 * Stores a message that is sent later. Only its sender is checked now; limits, suspension and suppressions when it leaves.
 * @throws DOMAIN_NOT_FOUND (403), FORBIDDEN, API_KEY_DOMAIN_SCOPE, DOMAIN_INACTIVE, SEND_UNAVAILABLE, MESSAGE_TOO_LARGE,
 *   RATE_LIMIT_EXCEEDED if too much waits
 */
export async function scheduleMessage(
  ctx: ActorContext,
  message: PreparedMessage & { sendAt: Date },
  { slot, store }: Options,
): Promise<Sent & { id: string }> {
  await requireSendable(message.raw.byteLength);
  const sender = parseAddress(message.from);
  if (!sender) throw new AppError('INVALID_SENDER', 'Enter a plain sender address such as ann@example.com.');
  requireSender(ctx.actor, sender.address);
  const domain = await authorizeDomain(ctx, { name: sender.domain }, { missingStatus: 403 });
  await requireRoom(ctx.db, domain, message.raw.byteLength);
  const [id, { messageId, sendAt }] = [uuidv7(), message];
  const waiting = await sealWaiting(id, message.raw);
  const data = dataOf(ctx, { id, message, slot, domainId: domain.id, rawBytes: waiting.rawBytes });
  await store({ id, messageId, domain }, async (tx) => {
    await tx.message.create({ data, select: { id: true } });
    await storeWaiting(tx, id, waiting);
  });
  return scheduledOf({ id, messageId, sendAt });
}

export function isLater(message: PreparedMessage): message is PreparedMessage & { sendAt: Date } {
  return message.sendAt !== undefined;
}

/** The response for a scheduled message, whatever happened to it since. */
export function scheduledOf({ id, messageId, sendAt }: { id: string; messageId: string; sendAt: Date }) {
  return { id, message_id: messageId, status: 'scheduled' as const, send_at: sendAt.toISOString() };
}

/**
 * Bounds what waits: the hourly limits hold when messages leave. Calls at once may pass the bounds by a few messages.
 * @throws RATE_LIMIT_EXCEEDED
 */
async function requireRoom(db: Database, domain: AuthorizedDomain, bytes: number): Promise<void> {
  const [waiting] = await db.$queryRaw<[{ messages: number; bytes: number }]>`/* prepared */
    SELECT (SELECT count(*)::int
              FROM (SELECT FROM message WHERE domain_id = ${domain.id}::uuid AND direction = 'outbound' AND status = 'scheduled'
                     LIMIT ${MAX_OF_DOMAIN}) AS own) AS messages,
           (SELECT coalesce(sum(raw_bytes), 0)::float8 FROM scheduled_message) AS bytes`;
  if (waiting.messages >= MAX_OF_DOMAIN) {
    const message = `${domain.name} has ${formatCount(MAX_OF_DOMAIN)} scheduled messages. Try again when some have left.`;
    throw new AppError('RATE_LIMIT_EXCEEDED', message, RETRY_LATER);
  }
  if (waiting.bytes + bytes > MAX_BYTES) {
    const message = `All scheduled messages have ${formatBytes(MAX_BYTES)}. Try again when some have left.`;
    throw new AppError('RATE_LIMIT_EXCEEDED', message, RETRY_LATER);
  }
}

type New = {
  id: string;
  message: PreparedMessage & { sendAt: Date };
  slot?: IdempotencySlot;
  domainId: string;
  rawBytes: number;
};

function dataOf(ctx: ActorContext, { id, message, slot, domainId, rawBytes }: New): Prisma.MessageUncheckedCreateInput {
  const { sendAt, subject, messageId, recipients, tags, metadata, isTransactional = false, list } = message;
  const row = messageRow(ctx, { id, message, slot, isSendable: true });
  const { created_at: createdAt, detail } = row;
  const event = { id: uuidv7(), type: 'accepted', at: createdAt, detail: { ...detail, send_at: sendAt.toISOString() } };
  return {
    ...{ id, messageId, domainId, subject, sendAt, createdAt },
    direction: 'outbound',
    status: 'scheduled',
    fromAddress: message.from,
    toAddresses: row.to_addresses,
    copyAddresses: row.copy_addresses,
    sizeBytes: row.size_bytes,
    apiKeyId: row.api_key_id,
    idempotencyKeyId: row.idempotency_key_id,
    batchIndex: row.batch_index,
    tags: tags ?? Prisma.DbNull,
    metadata: (metadata as Prisma.InputJsonObject | undefined) ?? Prisma.DbNull,
    template: message.template ?? Prisma.DbNull,
    recipients: { createMany: { data: recipients.map((each) => ({ ...each, status: 'scheduled', createdAt })) } },
    events: { create: event },
    tagged: {
      createMany: {
        data: [
          ...Object.entries(tags ?? {}).map(([name, value]) => tagText(name, value)),
          ...(message.template ? [templateTag(message.template.id)] : []),
        ].map((tag) => ({ tag, createdAt })),
      },
    },
    scheduled: { create: { adminId: ctx.actor.admin.id, isTransactional, list, rawBytes, nextAttemptAt: sendAt } },
  };
}
