import { groupCalls, groupLookups } from '@/server/background/group-calls';
import { database } from '@/server/database/db';
import type { LoggedDelivery, LoggedMail } from '../logged-mail';
import { type Addressed, findDomainIds } from './own-domains';

/** A message as the mail server's log and the spam filter reported it. */
export type Stored = LoggedMail & { raw: Uint8Array | null; deliveries: Delivery[] };
export type Delivery = LoggedDelivery & { reportedAt: Date | null };

// Messages that are reported at the same time share the statements below.
const TOGETHER = { maxRunning: 1, maxItems: 25 };

/** @throws if nothing is stored */
export async function findStored(queueId: string): Promise<Stored> {
  const stored = await findLogged(queueId);
  if (!stored) throw new Error('no mail is stored under this queue id');
  return stored;
}

const findLogged = groupLookups(async (queueIds: string[]) => {
  const [mails, deliveries] = await Promise.all([
    database().$queryRaw<Omit<Stored, 'deliveries'>[]>`/* prepared */
      SELECT queue_id AS "queueId", message_id AS "messageId", login, client_address AS "clientAddress",
             mail_from AS "mailFrom", size_bytes AS "sizeBytes", verdict, raw
        FROM logged_mail WHERE queue_id = ANY (${queueIds}::text[])`,
    database().$queryRaw<Delivery[]>`/* prepared */
      SELECT queue_id AS "queueId", recipient, addressed_to AS "addressedTo", is_forwarded AS "isForwarded", at,
             reported_at AS "reportedAt"
        FROM inbound_delivery WHERE queue_id = ANY (${queueIds}::text[]) ORDER BY at, recipient`,
  ]);
  const of = (mail: { queueId: string }) => deliveries.filter(({ queueId }) => queueId === mail.queueId);
  return new Map(mails.map((mail) => [mail.queueId, { ...mail, deliveries: of(mail) }]));
}, TOGETHER);

type RecordedRow = { id: string; queueId: string; spamAddresses: string[] };

/** The rows of inbound mail with the queue id, each with its recipients that are recorded as spam. */
export const findRows = groupLookups(async (queueIds: string[]) => {
  const rows = await database().$queryRaw<RecordedRow[]>`/* prepared */
    SELECT m.id, m.queue_id AS "queueId",
           ARRAY(SELECT r.address FROM message_recipient r WHERE r.message_id = m.id AND r.status = 'spam') AS "spamAddresses"
      FROM unnest(${queueIds}::text[]) AS given(queue_id)
     CROSS JOIN LATERAL (SELECT * FROM message WHERE queue_id = given.queue_id OFFSET 0) AS m
     WHERE m.direction = 'inbound'`;
  return new Map(queueIds.map((id) => [id, rows.filter(({ queueId }) => queueId === id)]));
}, TOGETHER);

/** Ids of managed domains by name: those among the given addresses, and perhaps others. */
export const findDomainIdsTogether = groupCalls(async (calls: (readonly Addressed[])[]) => {
  const ids = await findDomainIds(database(), calls.flat());
  return calls.map(() => ids);
}, TOGETHER);
