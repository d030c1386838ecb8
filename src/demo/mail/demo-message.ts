import type { EventType } from '@/lib/event-types';
import type { OutcomeCause } from '@/lib/mail/outcomes';
import type { InboundRoute, MessageEvent, MessageStatus } from '@/modules/messages/schema';
import type { Tx } from '@/server/database/db';
import { insertRows } from '../rows';

/** An event, as GET /events lists it and webhooks deliver it. */
export type Emission = {
  type: EventType;
  at: Date;
  recipient: string;
  /** If it differs from the message's domain: an alias may deliver to another domain. */
  domainId?: string;
  data: object;
};

/** Rows by column name, for insertRows. */
type MessageRow = {
  id: string;
  message_id: string;
  queue_id: string | null;
  domain_id: string;
  direction: 'outbound' | 'inbound';
  from_address: string;
  to_addresses: string[];
  subject: string;
  size_bytes: number;
  status: MessageStatus;
  spam_score: number | null;
  api_key_id: string | null;
  created_at: Date;
  updated_at: Date;
};

export type RecipientRow = {
  id: string;
  message_id: string;
  address: string;
  kind: 'to' | 'cc' | 'bcc';
  status: MessageStatus;
  cause: OutcomeCause | null;
  route: InboundRoute | null;
  smtp_code: number | null;
  enhanced_code: string | null;
  response: string | null;
  category: string | null;
  delivered_at: Date | null;
};

/** For JSON columns: undefined values are omitted. */
export type Detail = MessageEvent['detail'];

type TraceRow = {
  id: string;
  message_id: string;
  type: string;
  at: Date;
  recipient: string | null;
  detail: Detail;
};

export type DemoMessage = {
  row: MessageRow;
  domainName: string;
  recipients: RecipientRow[];
  trace: TraceRow[];
  emissions: Emission[];
  /** The sender through the API. */
  sender: { adminEmail: string; adminId: string; apiKeyId: string | null; batchId: string | null } | null;
};

/** A mail server's reply for a recipient. */
export type Reply = {
  cause: OutcomeCause | null;
  smtpCode: number | null;
  enhancedCode: string | null;
  response: string;
  remoteMta: string | null;
};

export function detailOf({ cause, smtpCode, enhancedCode, response, remoteMta }: Reply): Detail {
  return { cause, smtp_code: smtpCode, enhanced_code: enhancedCode, response, remote_mta: remoteMta };
}

export async function insertMessages(tx: Tx, messages: readonly DemoMessage[]): Promise<void> {
  const byAge = messages.toSorted((one, other) => one.row.created_at.getTime() - other.row.created_at.getTime());
  await insertRows(
    tx,
    'message',
    byAge.map(({ row }) => ({ ...row, search_key: '' })),
  );
  await insertRows(
    tx,
    'message_recipient',
    byAge.flatMap(({ recipients }) => recipients),
  );
  await insertRows(
    tx,
    'message_event',
    byAge.flatMap(({ trace }) => trace),
  );
}

/** Fills the table that the hourly limits count. */
export async function countSends(tx: Tx, now: Date): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO counted_send (id, address, domain_id, at)
    SELECT id, lower(from_address), domain_id, created_at FROM message
     WHERE direction = 'outbound' AND domain_id IS NOT NULL AND created_at > ${now}::timestamptz - interval '8 days'
       AND NOT (status = 'failed' AND queue_id IS NULL)`;
}
