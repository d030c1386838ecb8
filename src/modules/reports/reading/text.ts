const DECLARED = /^\s*(?:\xef\xbb\xbf)?\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']/;
const SNIFFED_BYTES = 256;

/**
 * Decodes by byte order mark, XML declaration or the look of the first bytes: UTF-8 where they are valid, else Windows-1252. Later
 * bytes that are invalid become U+FFFD.
 */
export async function* decode(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined;
  for await (const chunk of chunks) {
    decoder ??= new TextDecoder(encodingOf(chunk));
    yield decoder.decode(chunk, { stream: true });
  }
  if (decoder) yield decoder.decode();
}

function encodingOf(chunk: Uint8Array): string {
  const [first, second, third, fourth] = chunk;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first && second === 0 && third && fourth === 0) return 'utf-16le';
  if (first === 0 && second && third === 0 && fourth) return 'utf-16be';
  const start = Buffer.from(chunk.subarray(0, SNIFFED_BYTES)).toString('latin1');
  const label = DECLARED.exec(start)?.[1] ?? 'utf-8';
  // A declaration that could be read as ASCII is not in UTF-16.
  if (!/^utf-?(8|16)/i.test(label) && isKnown(label)) return label;
  return isUtf8(chunk) ? 'utf-8' : 'windows-1252';
}

function isKnown(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== '';
  } catch {
    return false;
  }
}

/** A character at the end may be cut. */
function isUtf8(chunk: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(chunk, { stream: true });
    return true;
  } catch {
    return false;
  }
}
