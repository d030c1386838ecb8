import { AppError } from '@/server/errors';
import type { MessageError } from './check-outgoing-message';
import type { PreparedMessage } from './message-jobs';
import { runInWorker } from './message-worker-pool';

/**
 * A checked and composed body of `/send`. Being a class, it can't come from JSON: the procedure runs only through
 * `prepareSend`, which keeps large bodies off the main thread.
 */
export class PreparedSend {
  constructor(
    readonly fingerprint: Uint8Array,
    readonly message: PreparedMessage,
  ) {}
}

export class PreparedBatch {
  constructor(
    readonly fingerprint: Uint8Array,
    readonly items: (PreparedMessage | MessageError)[],
  ) {}
}

export async function prepareSend(bytes: Uint8Array, at: Date): Promise<PreparedSend> {
  const result = await runInWorker({ kind: 'message', bytes, at });
  if (result.kind !== 'message') throw toAppError(result);
  return new PreparedSend(result.fingerprint, result.message);
}

export async function prepareBatch(bytes: Uint8Array, at: Date): Promise<PreparedBatch> {
  const result = await runInWorker({ kind: 'batch', bytes, at });
  if (result.kind !== 'batch') throw toAppError(result);
  return new PreparedBatch(result.fingerprint, result.items);
}

function toAppError(result: { kind: string; error?: MessageError }): Error {
  if (!result.error) return new TypeError(`unexpected result ${result.kind}`);
  const { code, message, fields } = result.error;
  return new AppError(code, message, fields.length > 0 ? { details: { fields } } : {});
}
