import type { ErrorCode } from '@/lib/error-codes';
import type { FieldError } from '@/server/errors';
import { invalidInput, normalized } from '@/server/validation';
import { OutgoingMessage } from '../schema';

export type MessageError = { code: ErrorCode; message: string; fields: FieldError[] };

/** Checks one message. Error codes and texts are those of `/send`, also for an item of a batch. */
export function checkOutgoingMessage(raw: unknown): { message: OutgoingMessage } | MessageError {
  const result = OutgoingMessage.safeParse(normalized(raw, OutgoingMessage));
  if (result.success) return { message: result.data };
  const error = invalidInput(result.error, raw, OutgoingMessage);
  return { code: error.apiCode, message: error.message, fields: error.details?.fields ?? [] };
}

/** Returns the reasons why a message is invalid, each with its field. */
export function reasonOf({ message, fields }: Pick<MessageError, 'message' | 'fields'>): string {
  return fields.map(({ path, message: reason }) => (path ? `${path}: ${reason}` : reason)).join(' ') || message;
}
