import type { InboundMail } from '@/mail/inbound/port';
import { encodeEvent, type NewEvent, type TypedData } from '@/modules/events/service';
import { groupCalls } from '@/server/background/group-calls';
import { database, type Tx } from '@/server/database/db';
import { jsonParameter } from '@/server/database/json-parameter';
import { encodeRow, type InboundRow } from './message-row';

/** A delivery that the mail server's log shows, and that is reported by recording its message. */
export type ShownDelivery = { recipient: string; addressedTo: string };

/** Inbound mail with its row in each domain and its events, `viaDomainId` being the domain of the row that one is about. */
export type InboundRecord = Pick<InboundMail, 'queueId'> & {
  /** Null for mail that no log shows, which is recorded once per queue id. */
  deliveries: ShownDelivery[] | null;
  rows: InboundRow[];
  events: { viaDomainId: string; event: InboundEvent }[];
};

type InboundEvent = Omit<NewEvent, 'messageRowId' | keyof TypedData> & TypedData<'mail.received' | 'mail.spam'>;

export type StoredRow = { domainId: string; id: string; isKnown: boolean };

/**
 * Records mail that has no rows yet, in one statement with mail that comes at the same time. Null if it has rows, whose status
 * must be updated as well.
 */
export const recordNew: (mail: InboundRecord) => Promise<StoredRow[] | null> = groupCalls(
  (mails) => receiveInbound(database(), mails, true),
  { maxRunning: 1, maxItems: 25 },
);

/**
 * Records mail, and updates rows that it has.
 * @returns nothing if the mail, or all of its deliveries, were recorded before
 * @throws if another reader has reported some of the deliveries, so that nothing is recorded
 */
export async function recordInbound(tx: Tx, mail: InboundRecord): Promise<StoredRow[]> {
  const [stored] = await receiveInbound(tx, [mail], false);
  return stored ?? [];
}

async function receiveInbound(tx: Tx, mails: InboundRecord[], skipKnown: boolean): Promise<(StoredRow[] | null)[]> {
  const [result] = await tx.$queryRaw<{ stored: (EncodedRow[] | null)[] }[]>`/* prepared */
    SELECT receive_inbound(${jsonParameter(mails.map(encode))}::jsonb, ${skipKnown}) AS stored`;
  return (result?.stored ?? []).map(
    (rows) => rows?.map(({ domain_id: domainId, id, is_known: isKnown }) => ({ domainId, id, isKnown })) ?? null,
  );
}

type EncodedRow = { domain_id: string; id: string; is_known: boolean };

function encode({ queueId, deliveries, rows, events }: InboundRecord): object {
  return {
    queue_id: queueId,
    deliveries: deliveries?.map(({ recipient, addressedTo }) => ({ recipient, addressed_to: addressedTo })) ?? null,
    rows: rows.map(encodeRow),
    events: events.map(({ viaDomainId, event }) => ({
      ...encodeEvent({ ...event, messageRowId: null }),
      via_domain_id: viaDomainId,
    })),
  };
}
