import type { LogEntry } from '@/mail/log/log-line';
import type { Tx } from '@/server/database/db';
import { messageIdIn } from '../inbound/header';

export type LogFields = {
  queueId: string;
  at: Date;
  messageId: string | null;
  login: string | null;
  clientAddress: string | null;
  mailFrom: string | null;
  sizeBytes: number | null;
  removedAt: Date | null;
};

export type LoggedMail = Omit<LogFields, 'at' | 'removedAt'> & { verdict: unknown };

/** A message that reached a mailbox or was forwarded, for one address of its envelope; addresses in lower case. */
export type LoggedDelivery = {
  queueId: string;
  recipient: string;
  addressedTo: string;
  isForwarded: boolean;
  at: Date;
};

/** The fields of each message, merged from its log lines. */
export function fieldsOf(entries: readonly LogEntry[]): LogFields[] {
  const fields = new Map<string, LogFields>();
  for (const entry of entries) {
    const { queueId, at } = entry;
    const known = fields.get(queueId) ?? { queueId, at, ...UNKNOWN };
    fields.set(queueId, { ...known, ...fieldsIn(entry) });
  }
  return [...fields.values()];
}

const UNKNOWN = {
  messageId: null,
  login: null,
  clientAddress: null,
  mailFrom: null,
  sizeBytes: null,
  removedAt: null,
};

function fieldsIn(entry: LogEntry): Partial<LogFields> {
  if (entry.kind === 'client') return { login: entry.login, clientAddress: entry.clientAddress };
  if (entry.kind === 'named') return { messageId: messageIdIn(entry.messageId) };
  if (entry.kind === 'queued') return { mailFrom: entry.from, sizeBytes: entry.sizeBytes };
  if (entry.kind === 'removed' || entry.kind === 'deleted') return { removedAt: entry.at };
  return {};
}

/**
 * Merges fields into the stored rows, ordered by queue id so that two writers cannot deadlock.
 * @returns what is stored then, by queue id
 */
export async function storeFields(tx: Tx, fields: readonly LogFields[]): Promise<Map<string, LoggedMail>> {
  const rows = fields.toSorted((one, other) => (one.queueId < other.queueId ? -1 : 1));
  const column = <Key extends keyof LogFields>(key: Key) => rows.map((row) => row[key]);
  const stored = await tx.$queryRaw<LoggedMail[]>`/* prepared */
    INSERT INTO logged_mail AS known (queue_id, seen_at, message_id, login, client_address, mail_from, size_bytes, removed_at)
    SELECT * FROM unnest(${column('queueId')}::text[], ${column('at')}::timestamptz[], ${column('messageId')}::text[],
                         ${column('login')}::text[], ${column('clientAddress')}::text[], ${column('mailFrom')}::text[],
                         ${column('sizeBytes')}::int[], ${column('removedAt')}::timestamptz[])
    ON CONFLICT (queue_id) DO UPDATE SET
      message_id = coalesce(EXCLUDED.message_id, known.message_id),
      login = coalesce(EXCLUDED.login, known.login),
      client_address = coalesce(EXCLUDED.client_address, known.client_address),
      mail_from = coalesce(EXCLUDED.mail_from, known.mail_from),
      size_bytes = coalesce(EXCLUDED.size_bytes, known.size_bytes),
      removed_at = coalesce(EXCLUDED.removed_at, known.removed_at)
    RETURNING queue_id AS "queueId", message_id AS "messageId", login, client_address AS "clientAddress",
              mail_from AS "mailFrom", size_bytes AS "sizeBytes", verdict`;
  return new Map(stored.map((row) => [row.queueId, row]));
}

/** Stores deliveries that aren't stored yet. */
export async function storeDeliveries(tx: Tx, deliveries: readonly LoggedDelivery[]): Promise<void> {
  if (deliveries.length === 0) return;
  const column = <Key extends keyof LoggedDelivery>(key: Key) => deliveries.map((delivery) => delivery[key]);
  await tx.$executeRaw`/* prepared */
    INSERT INTO inbound_delivery (queue_id, recipient, addressed_to, is_forwarded, at)
    SELECT * FROM unnest(${column('queueId')}::text[], ${column('recipient')}::text[], ${column('addressedTo')}::text[],
                         ${column('isForwarded')}::boolean[], ${column('at')}::timestamptz[])
    ON CONFLICT DO NOTHING`;
}
