import { createHash } from 'node:crypto';
import { parseAddress } from '@/lib/address';
import type { ErrorCode } from '@/lib/error-codes';
import { AppError, type FieldError } from '@/server/errors';
import { parseJsonObject } from '@/server/rest/json';
import type { OutgoingMessage } from '../schema';
import { MAX_BATCH } from '../schema';
import { checkOutgoingMessage } from './check-outgoing-message';
import { composeMessage, newMessageId } from './compose';

/** Everything that costs time with the size of a message, so that it can be done beside the main thread. */
export type Job = { kind: 'message' | 'batch'; bytes: Uint8Array; at: Date };

export type ReadyMessage = {
  from: string;
  recipients: { address: string; kind: 'to' | 'cc' | 'bcc' }[];
  subject: string;
  messageId: string;
  raw: Uint8Array;
  envelope: { from: string; to: string[] };
};

export type Fault = { code: ErrorCode; message: string; fields: FieldError[] };

export type JobResult =
  | { kind: 'message'; fingerprint: Uint8Array; message: ReadyMessage }
  | { kind: 'batch'; fingerprint: Uint8Array; items: (ReadyMessage | Fault)[] }
  | { kind: 'fault'; fault: Fault };

/** Parses, checks and composes the body of a send request. */
export async function work({ kind, bytes, at }: Job): Promise<JobResult> {
  try {
    const body = parseJsonObject(bytes);
    const fingerprint = new Uint8Array(createHash('sha256').update(kind).update('\0').update(bytes).digest());
    if (kind === 'batch') return { kind, fingerprint, items: await prepareItems(body, at) };
    const message = await prepare(body, at);
    return 'code' in message ? { kind: 'fault', fault: message } : { kind, fingerprint, message };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { apiCode: code, message, details } = error;
    return { kind: 'fault', fault: { code, message, fields: details?.fields ?? [] } };
  }
}

async function prepareItems(body: Record<string, unknown>, at: Date): Promise<(ReadyMessage | Fault)[]> {
  const items = itemsOf(body);
  const prepared: (ReadyMessage | Fault)[] = [];
  for (const item of items) prepared.push(await prepare(item, at));
  return prepared;
}

function itemsOf(body: Record<string, unknown>): unknown[] {
  const { messages, ...strays } = body;
  if (messages === undefined || messages === null) throw refused('MISSING_FIELDS', 'messages', 'This field is required.');
  const [stray] = Object.keys(strays);
  if (stray !== undefined) throw refused('VALIDATION_ERROR', stray, 'Unknown field.');
  if (!Array.isArray(messages)) throw refused('VALIDATION_ERROR', 'messages', 'This must be a list of messages.');
  if (messages.length === 0) throw refused('EMPTY_BATCH', 'messages', 'At least one message is required.');
  if (messages.length > MAX_BATCH) throw refused('BATCH_TOO_LARGE', 'messages', `At most ${MAX_BATCH} messages.`);
  return messages;
}

async function prepare(raw: unknown, at: Date): Promise<ReadyMessage | Fault> {
  const checked = checkOutgoingMessage(raw);
  if (!('message' in checked) || 'code' in checked) return checked as Fault;
  const { message } = checked;
  const sender = parseAddress(message.from.email);
  if (!sender) throw new TypeError('a checked message has a sender');
  const messageId = newMessageId(sender.domain);
  const { raw: composed, envelope } = await composeMessage(message, { messageId, date: at });
  const recipients = recipientsOf(message);
  return { from: sender.address, recipients, subject: message.subject, messageId, raw: composed, envelope };
}

/** Every address once, under the most visible of the fields it stands in. */
function recipientsOf(message: OutgoingMessage): ReadyMessage['recipients'] {
  const byAddress = new Map<string, 'to' | 'cc' | 'bcc'>();
  for (const kind of ['to', 'cc', 'bcc'] as const) {
    for (const { email } of message[kind] ?? []) {
      const address = parseAddress(email)?.address ?? email;
      if (!byAddress.has(address)) byAddress.set(address, kind);
    }
  }
  return [...byAddress].map(([address, kind]) => ({ address, kind }));
}

function refused(code: ErrorCode, path: string, message: string): AppError {
  return new AppError(code, `${path}: ${message}`, { details: { fields: [{ path, message }] } });
}
