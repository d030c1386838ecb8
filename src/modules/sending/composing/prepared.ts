import { templateRenderer } from '@/modules/templates/service';
import { AppError } from '@/server/errors';
import type { ActorContext } from '@/server/procedures/context';
import type { MessageError } from './check-outgoing-message';
import type { CheckedMessage, PreparedMessage } from './message-jobs';
import { runInWorker } from './message-worker-pool';

/**
 * A checked and composed body of `/send`. Being a class, it can't come from JSON: the procedure runs only through
 * `prepareSend`, which keeps large bodies off the main thread.
 */
export class PreparedSend {
  constructor(
    readonly fingerprint: Uint8Array,
    readonly message: CheckedMessage,
  ) {}
}

export class PreparedBatch {
  constructor(
    readonly fingerprint: Uint8Array,
    readonly items: (CheckedMessage | MessageError)[],
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

/** Returns what makes the text of the messages of a call that have a template. @throws the errors of {@link templateRenderer} */
export function completer(ctx: ActorContext): (message: CheckedMessage) => Promise<PreparedMessage> {
  const renderFor = templateRenderer(ctx);
  return async (message) => {
    if ('raw' in message) return message;
    const rendered = await renderFor(message.from, message.template);
    const result = await runInWorker({ kind: 'rendered', unrendered: message, rendered });
    if (result.kind !== 'rendered') throw toAppError(result);
    return result.message;
  };
}

function toAppError(result: { kind: string; error?: MessageError }): Error {
  if (!result.error) return new TypeError(`unexpected result ${result.kind}`);
  const { code, message, fields } = result.error;
  return new AppError(code, message, fields.length > 0 ? { details: { fields } } : {});
}
