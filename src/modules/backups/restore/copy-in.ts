import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import type { ClientBase } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Table } from '../archive/format';
import { copyIn } from '../archive/tables';

/** Rows are written with backpressure. */
export function openCopy(client: ClientBase, table: Table) {
  const stream = client.query(copyFrom(copyIn(table)));
  const ended = finished(stream);
  // Awaited in `end`; a failure before that is thrown by `write`.
  ended.catch(() => {});
  return {
    name: table.name,
    async write(bytes: Buffer): Promise<void> {
      if (stream.errored) throw stream.errored;
      if (!stream.write(bytes)) await Promise.race([once(stream, 'drain'), ended]);
    },
    async end(): Promise<void> {
      stream.end();
      await ended;
    },
    abort: () => void stream.destroy(),
  };
}
