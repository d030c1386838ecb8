const NEW_LINE = 10;

/** The next rows of COPY's text format, as bytes that were read ahead. */
export type Rows = {
  /** What was read and not dropped yet. */
  bytes: () => Buffer;
  /** Reads more. @returns whether there was more */
  read: () => Promise<boolean>;
  /** The next row without its new line; null at the end. */
  first: () => Promise<Buffer | null>;
  drop: (count: number) => void;
};

export function rowsOf(chunks: AsyncGenerator<Buffer>): Rows {
  let ahead: Buffer = Buffer.alloc(0);
  const read = async () => {
    const { value, done } = await chunks.next();
    if (done) return false;
    ahead = ahead.byteLength === 0 ? value : Buffer.concat([ahead, value]);
    return true;
  };
  return {
    bytes: () => ahead,
    read,
    async first() {
      for (;;) {
        const end = ahead.indexOf(NEW_LINE);
        if (end !== -1) return ahead.subarray(0, end);
        if (!(await read())) return null;
      }
    },
    drop(count) {
      ahead = ahead.subarray(count);
    },
  };
}

/** Drops the rows at which both start, many at once: most rows of two databases are the same. */
export async function skipEqual(one: Rows, other: Rows): Promise<void> {
  for (;;) {
    for (const rows of [one, other]) if (rows.bytes().byteLength === 0 && !(await rows.read())) return;
    const [left, right] = [one.bytes(), other.bytes()];
    const shorter = Math.min(left.byteLength, right.byteLength);
    const same = equalBytes(left, right);
    const end = same === 0 ? 0 : left.lastIndexOf(NEW_LINE, same - 1) + 1;
    one.drop(end);
    other.drop(end);
    if (same < shorter) return;
    // A row goes on in what was not read yet.
    if (end === 0 && !(await (left.byteLength === shorter ? one : other).read())) return;
  }
}

/** How many bytes both start with. */
function equalBytes(left: Buffer, right: Buffer): number {
  const isEqual = (from: number, to: number) => left.subarray(from, to).equals(right.subarray(from, to));
  const shorter = Math.min(left.byteLength, right.byteLength);
  if (isEqual(0, shorter)) return shorter;
  let [same, differs] = [0, shorter];
  while (differs - same > 1) {
    const middle = (same + differs) >> 1;
    if (isEqual(same, middle)) same = middle;
    else differs = middle;
  }
  return same;
}
