import { templateRenderer } from '@/modules/templates/service';
import { AppError } from '@/server/errors';
import { reserveBodyBudget } from '@/server/http/body/body-budget';
import type { ActorContext } from '@/server/procedures/context';
import { refuseEarly } from '../submission/refused-early';
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

/** Makes the text of a message, if it has a template, and submits the message. */
type Complete = <Result>(
  message: CheckedMessage,
  submit: (message: PreparedMessage) => Promise<Result>,
) => Promise<Result>;

/**
 * Returns what completes the messages of a call. A small request can make large texts, so each counts as a body of the caller until its
 * message is submitted. @throws SERVICE_UNAVAILABLE and the errors of {@link templateRenderer}
 */
export function completer(ctx: ActorContext): Complete {
  const renderFor = templateRenderer(ctx);
  return async (message, submit) => {
    if ('raw' in message) return submit(message);
    const budget = reserveBodyBudget(ctx.actor.admin.id);
    budget.complete();
    try {
      const rendered = await renderFor(message.from, message.template, () => refuseEarly(ctx, message));
      const { html_body, text_body } = rendered.text;
      budget.take(Buffer.byteLength(html_body ?? '') + Buffer.byteLength(text_body));
      const result = await runInWorker({ kind: 'rendered', unrendered: message, rendered });
      if (result.kind !== 'rendered') throw toAppError(result);
      return await submit(result.message);
    } finally {
      budget.release();
    }
  };
}

function toAppError(result: { kind: string; error?: MessageError }): Error {
  if (!result.error) return new TypeError(`unexpected result ${result.kind}`);
  const { code, message, fields } = result.error;
  return new AppError(code, message, fields.length > 0 ? { details: { fields } } : {});
}
