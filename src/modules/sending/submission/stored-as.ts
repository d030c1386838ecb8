import { templateTag } from '@/lib/mail/message-tags';
import { Prisma } from '@/server/prisma/client';

/** How the statement that admits messages stores them: as new ones, or as scheduled ones that are due. */
export type StoredAs = 'new' | 'due';

type Parts = {
  /** Stores messages, and returns their ids. */
  created: Prisma.Sql;
  /** Stores their recipients without the suppressed ones. */
  addressed: Prisma.Sql;
  /** Their first event, as a part of a union. */
  accepted: Prisma.Sql;
  /** Stores their tags and templates. Left out where there are none, so that messages without don't pay for them. */
  tagged: Prisma.Sql;
};

const ALLOWED = Prisma.sql`created JOIN allowed ON allowed.id = created.id`;

export const STORED: Record<StoredAs, Parts> = {
  new: {
    created: Prisma.sql`
      INSERT INTO message (id, message_id, domain_id, direction, from_address, to_addresses, copy_addresses, subject, size_bytes,
                           status, api_key_id, idempotency_key_id, batch_index, tags, metadata, template, created_at, updated_at)
      SELECT id, message_id, domain_id, 'outbound', from_address, to_addresses, copy_addresses, subject, size_bytes,
             'submitting', api_key_id, idempotency_key_id, batch_index, tags, metadata::json, template, created_at, created_at
        FROM allowed JOIN counting ON counting.message = allowed.id WHERE counting.result = 'counted'
      RETURNING id`,
    addressed: Prisma.sql`
      INSERT INTO message_recipient (id, message_id, address, kind, status, created_at)
      SELECT r.id, created.id, r.address, r.kind, 'submitting', allowed.created_at
        FROM ${ALLOWED}, jsonb_to_recordset(allowed.recipients) AS r(id uuid, address text, kind recipient_kind)
       WHERE r.id <> ALL (ARRAY(SELECT id FROM suppressed))`,
    accepted: Prisma.sql`
      SELECT allowed.event_id, created.id, 'accepted', allowed.created_at, NULL, allowed.detail FROM ${ALLOWED}
       UNION ALL`,
    tagged: Prisma.sql`, tagged AS (
      INSERT INTO message_tag (message_id, tag, created_at)
      SELECT created.id, t.key || ':' || t.value, allowed.created_at FROM ${ALLOWED}, jsonb_each_text(allowed.tags) AS t
       UNION ALL
      SELECT created.id, ${templateTag('')} || (allowed.template ->> 'id'), allowed.created_at FROM ${ALLOWED}
       WHERE allowed.template IS NOT NULL
    )`,
  },
  due: {
    created: Prisma.sql`
      UPDATE message m
         SET status = 'submitting', size_bytes = allowed.size_bytes, created_at = allowed.created_at, updated_at = allowed.created_at
        FROM allowed JOIN counting ON counting.message = allowed.id
       WHERE m.id = allowed.id AND m.status = 'scheduled' AND counting.result = 'counted'
      RETURNING m.id`,
    addressed: Prisma.sql`
      UPDATE message_recipient r SET status = 'submitting', created_at = allowed.created_at
        FROM ${ALLOWED}
       WHERE r.message_id = created.id
         AND r.address <> ALL (ARRAY(SELECT s.address FROM suppressed s WHERE s.message = created.id))
    ), left_out AS (
      DELETE FROM message_recipient r USING created JOIN suppressed s ON s.message = created.id
       WHERE r.message_id = created.id AND r.address = s.address`,
    accepted: Prisma.empty,
    tagged: Prisma.sql`, tagged AS (
      UPDATE message_tag t SET created_at = allowed.created_at FROM ${ALLOWED} WHERE t.message_id = created.id
    )`,
  },
};
