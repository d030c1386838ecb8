import type { ClientBase } from 'pg';
import { to as copyTo } from 'pg-copy-streams';

/** What a COPY … TO STDOUT gives. Stopping early waits for the rest, because the connection can't be used before. */
export async function* copiedOut(client: ClientBase, statement: string): AsyncGenerator<Buffer> {
  const stream = client.query(copyTo(statement));
  try {
    yield* stream.iterator({ destroyOnReturn: false });
  } finally {
    if (!stream.readableEnded && !stream.errored) for await (const _ of stream);
  }
}
