import { suppressionAddress } from '@/lib/mail/suppression';
import { uuidv7 } from '@/lib/uuid';
import { encodeEvent, type NewEvent } from '@/modules/events/service';
import type { Tx } from '@/server/database/db';
import { jsonParameter } from '@/server/database/json-parameter';
import type { MessageStatus } from '../schema';
import type { LockedMessage } from './locked-message';

const MAX_DETAIL_LENGTH = 1000;

/** How a report names its message: see the SQL function lock_reported. */
type MessageName = { messageId: string | null; queueId: string | null };

/** A message that reports are about, and its recipients, which change as reports are applied. */
export type ReportedMessage = LockedMessage & {
  recipients: ReportedRecipient[];
  /** A scheduled message of a database that was put back. A report about it shows that it had left. */
  isHeld: boolean;
};

/** The columns of a recipient. */
export type ReportedRecipient = {
  id: string;
  address: string;
  status: MessageStatus;
  smtp_code: number | null;
  response: string | null;
};

/** The changes made by reports, which `saveChanges` stores. A message's status follows from those of its recipients. */
export type Changes = {
  messages: Set<ReportedMessage>;
  /** The messages that no longer wait. */
  left: Set<ReportedMessage>;
  recipients: Set<ReportedRecipient>;
  trace: { messageId: string; type: string; at: Date; recipient?: string; detail: object }[];
  events: NewEvent[];
  suppressions: BouncedAddress[];
};

/** An address that bounced, and whether an earlier bounce must say the same before it is suppressed. */
type BouncedAddress = {
  message: ReportedMessage;
  address: string;
  detail: string;
  enhancedCode: string | null;
  needsEarlier: boolean;
  at: Date;
};

export function noChanges(): Changes {
  return { messages: new Set(), left: new Set(), recipients: new Set(), trace: [], events: [], suppressions: [] };
}

/** Locks messages until the transaction ends. @returns the message of each name, null if there is none */
export async function lockReported(tx: Tx, names: readonly MessageName[]): Promise<(ReportedMessage | null)[]> {
  if (names.length === 0) return [];
  const rows = await tx.$queryRaw<(ReportedMessage & { reports: number[] })[]>`/* prepared */
    SELECT reports, id, message_id AS "messageId", queue_id AS "queueId", status, from_address AS "fromAddress",
           to_addresses AS "toAddresses", subject, created_at AS "createdAt", domain_id AS "domainId",
           domain_name AS "domainName", recipients, labels.*
      FROM lock_reported(${names.map(({ messageId }) => messageId)}::text[], ${names.map(({ queueId }) => queueId)}::text[])
             AS reported,
           LATERAL (SELECT m.tags, m.metadata, m.template, m.status = 'scheduled' AND m.send_at IS NULL AS "isHeld"
                      FROM message m WHERE m.id = reported.id OFFSET 0) AS labels`;
  const found: (ReportedMessage | null)[] = names.map(() => null);
  for (const { reports, ...message } of rows) for (const number of reports) found[number - 1] = message;
  return found;
}

export async function saveChanges(
  tx: Tx,
  { messages, left, recipients, trace, events, suppressions }: Changes,
): Promise<void> {
  if (messages.size === 0) return;
  const given = {
    messages: [...messages].map(({ id, queueId }) => ({ id, queue_id: queueId })),
    left: [...left].map(({ id }) => id),
    recipients: [...recipients],
    trace: trace.map(({ messageId, ...event }) => ({ id: uuidv7(), message_id: messageId, ...event })),
    events: events.map(encodeEvent),
    suppressions: suppressions.map(encodeSuppression),
  };
  await tx.$executeRaw`/* prepared */ SELECT record_reports(${jsonParameter(given)}::jsonb)`;
}

function encodeSuppression({ message, address, detail, enhancedCode, needsEarlier, at }: BouncedAddress): object {
  return {
    id: uuidv7(),
    email: suppressionAddress(address),
    domain_id: message.domainId,
    source_message_id: message.id,
    detail: detail.slice(0, MAX_DETAIL_LENGTH),
    address,
    enhanced_code: enhancedCode,
    needs_earlier: needsEarlier,
    at,
  };
}
