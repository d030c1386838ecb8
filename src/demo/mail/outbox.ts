import type { EventType } from '@/lib/event-types';
import type { DeliveryReport } from '@/mail/delivery-report';
import { eventBody } from '@/modules/events/schema';
import { outcomeData } from '@/modules/messages/tracking/outcome-event';
import type { DemoContext } from '../demo-context';
import { insertRows } from '../rows';
import { before, DAY_MS } from '../time';
import type { DemoMessage, Emission, Reply } from './demo-message';

/** Whether a webhook subscribes to the content of a received message. */
export type IsSubscribed = (event: { domainId: string; at: Date }) => boolean;

export type DemoEvent = {
  id: string;
  type: EventType;
  domainId: string;
  createdAt: Date;
};

/** The app deletes the content of received mail after this time. */
const CONTENT_MS = 3 * DAY_MS;

export function sentEvent({ row, domainName }: DemoMessage, at: Date): Emission {
  const { message_id, from_address: from, to_addresses: to, subject } = row;
  const data = { message_id, from, to, subject, domain: domainName };
  return { type: 'mail.sent', at, recipient: to[0] ?? '', data };
}

export function outcomeEvent(
  { row, domainName }: DemoMessage,
  kind: DeliveryReport['kind'],
  recipient: string,
  at: Date,
  reply: Reply,
): Emission {
  const { message_id, from_address: from, to_addresses: to, subject, queue_id } = row;
  const about = { message_id, from, to, recipient, subject, domain: domainName, queue_id };
  const delaySeconds = Math.max(0, at.getTime() - row.created_at.getTime()) / 1000;
  return { at, recipient, ...outcomeData(about, { kind, ...reply }, delaySeconds) };
}

export async function insertEvents(
  ctx: DemoContext,
  messages: readonly DemoMessage[],
  isContentWanted: IsSubscribed,
): Promise<DemoEvent[]> {
  const { tx, now, random } = ctx;
  const oldest = before(now, 30 * DAY_MS - DAY_MS / 4);
  const announced = messages.flatMap(({ row, emissions }) =>
    emissions.map((emission) => ({ row, domainId: row.domain_id, ...emission })),
  );
  const rows = announced
    .filter(({ type, at, domainId }) => {
      return at > oldest && (type !== 'mail.received.full' || isContentWanted({ domainId, at }));
    })
    .sort((one, other) => one.at.getTime() - other.at.getTime())
    .map(({ row, type, at, recipient, domainId, data }) => {
      const body = eventBody({ type, id: row.message_id, at, data });
      const isDeleted = type === 'mail.received.full' && at < before(now, CONTENT_MS);
      return {
        id: random.uuidAt(at),
        type,
        domain_id: domainId,
        message_row_id: row.id,
        recipient,
        body: isDeleted ? null : body,
        body_bytes: isDeleted ? 0 : Buffer.byteLength(body),
        is_test: false,
        created_at: at,
      };
    });
  await insertRows(tx, 'event', rows);
  return rows.map(({ id, type, domain_id, created_at }) => {
    return { id, type, domainId: domain_id, createdAt: created_at };
  });
}
