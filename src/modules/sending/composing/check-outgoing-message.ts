import type { ErrorCode } from '@/lib/error-codes';
import type { FieldError } from '@/server/errors';
import { invalidInput } from '@/server/validation';
import { OutgoingMessage } from '../schema';

export type OutgoingMessageFault = { code: ErrorCode; message: string; fields: FieldError[] };

/** Checks one item of a batch on its own, with the codes and texts that `/send` would answer for it. */
export function checkOutgoingMessage(raw: unknown): { message: OutgoingMessage } | OutgoingMessageFault {
  const result = OutgoingMessage.safeParse(raw);
  if (result.success) return { message: result.data };
  const error = invalidInput(result.error, raw, OutgoingMessage);
  return { code: error.apiCode, message: error.message, fields: error.details?.fields ?? [] };
}
