import { AppError } from '@/server/errors';
import { workAside } from './message-threads';
import type { Fault, ReadyMessage } from './message-work';

/**
 * A checked and composed body of `/send`. JSON cannot make one: only this door, which keeps large bodies off the main
 * thread, leads to the verb.
 */
export class PreparedSend {
  constructor(
    readonly fingerprint: Uint8Array,
    readonly message: ReadyMessage,
  ) {}
}

export class PreparedBatch {
  constructor(
    readonly fingerprint: Uint8Array,
    readonly items: (ReadyMessage | Fault)[],
  ) {}
}

export async function prepareSend(bytes: Uint8Array, at: Date): Promise<PreparedSend> {
  const result = await workAside({ kind: 'message', bytes, at });
  if (result.kind !== 'message') throw faultOf(result);
  return new PreparedSend(result.fingerprint, result.message);
}

export async function prepareBatch(bytes: Uint8Array, at: Date): Promise<PreparedBatch> {
  const result = await workAside({ kind: 'batch', bytes, at });
  if (result.kind !== 'batch') throw faultOf(result);
  return new PreparedBatch(result.fingerprint, result.items);
}

function faultOf(result: { kind: string; fault?: Fault }): Error {
  if (!result.fault) return new TypeError(`unexpected result ${result.kind}`);
  const { code, message, fields } = result.fault;
  return new AppError(code, message, fields.length > 0 ? { details: { fields } } : {});
}
