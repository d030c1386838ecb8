const NEW_LINE = 10;

/** The rows of COPY's text format, one at a time. */
export async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer[] = [];
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEW_LINE); end !== -1; end = chunk.indexOf(NEW_LINE, start)) {
      const line = chunk.subarray(start, end);
      yield rest.length > 0 ? Buffer.concat([...rest, line]) : line;
      rest = [];
      start = end + 1;
    }
    if (start < chunk.byteLength) rest.push(chunk.subarray(start));
  }
}

/** The first `count` values of a row; null for NULL. */
export function valuesOf(line: Buffer, count: number): (string | null)[] {
  return line
    .toString('utf8')
    .split('\t', count)
    .map((text) => (text === '\\N' ? null : text.replace(/\\(.)/g, (_, letter: string) => ESCAPED[letter] ?? letter)));
}

const ESCAPED: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };
