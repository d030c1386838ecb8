import { v7 as uuidv7 } from 'uuid';
import type { Counting } from '@/modules/abuse/service';
import type { AuthorizedDomain } from '@/server/access/authorize';
import type { ActorContext } from '@/server/procedures/context';
import type { PreparedMessage } from '../composing/message-jobs';

/** The position of a message in a call with an Idempotency-Key. */
export type IdempotencySlot = { keyId: string; batchIndex: number };

type NewMessage = { id: string; domain: AuthorizedDomain; message: PreparedMessage; slot: IdempotencySlot | undefined };

/**
 * Counts the message against the hourly limits and, if they allow it, stores it with its recipients and first event. One
 * statement does both, so the lock of the count is held only that long.
 */
export async function createMessage(ctx: ActorContext, { id, domain, message, slot }: NewMessage): Promise<Counting> {
  const at = ctx.clock.now();
  const { recipients } = message;
  const by = ctx.actor.key
    ? { source: 'api_key', api_key_id: ctx.actor.key.id }
    : { source: 'console', session_id: ctx.actor.session?.id ?? null };
  const detail = JSON.stringify({ by: ctx.actor.admin.email, ...by });
  const [counting] = await ctx.db.$queryRaw<[Counting]>`
    WITH counting AS (
      SELECT * FROM count_send(${id}::uuid, ${message.from.toLowerCase()}, ${domain.id}::uuid, ${at}::timestamptz)
    ), created AS (
      INSERT INTO message (id, message_id, domain_id, direction, from_address, to_addresses, subject, size_bytes, status,
                           api_key_id, idempotency_key_id, batch_index, created_at, updated_at)
      SELECT ${id}::uuid, ${message.messageId}, ${domain.id}::uuid, 'outbound', ${message.from},
             ${toAddresses(message)}::text[], ${message.subject}, ${message.raw.byteLength}, 'submitting',
             ${ctx.actor.key?.id ?? null}::uuid, ${slot?.keyId ?? null}::uuid, ${slot?.batchIndex ?? null}::int, ${at}::timestamptz, ${at}::timestamptz
        FROM counting WHERE result = 'counted'
      RETURNING id
    ), addressed AS (
      INSERT INTO message_recipient (id, message_id, address, kind, status, created_at)
      SELECT recipient.id, created.id, recipient.address, recipient.kind::recipient_kind, 'submitting', ${at}::timestamptz
        FROM created, unnest(${recipients.map(() => uuidv7())}::uuid[], ${recipients.map(({ address }) => address)}::text[],
                             ${recipients.map(({ kind }) => kind)}::text[]) AS recipient(id, address, kind)
    ), recorded AS (
      INSERT INTO message_event (id, message_id, type, at, detail)
      SELECT ${uuidv7()}::uuid, created.id, 'accepted', ${at}::timestamptz, ${detail}::jsonb FROM created
    )
    SELECT result, mailbox_id AS "mailboxId", counted_from AS "countedFrom", sent, allowed, free_at AS "freeAt"
      FROM counting`;
  return counting;
}

function toAddresses({ recipients }: PreparedMessage): string[] {
  return recipients.filter(({ kind }) => kind === 'to').map(({ address }) => address);
}
