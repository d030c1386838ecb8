import iconv from 'iconv-lite';

/** Whether the bytes switch character sets by escape sequences, as ISO-2022-JP, -KR and -CN do, and are 7-bit. */
export function isIso2022(bytes: Buffer): boolean {
  if (!bytes.includes(ESCAPE)) return false;
  const text = bytes.toString('latin1');
  return SWITCH.test(text) && !/[\x80-\xff]/.test(text);
}

const ESCAPE = 0x1b;
const [SHIFT_OUT, SHIFT_IN] = [0x0e, 0x0f];
const SWITCH = /\x1b(?:\$[@AB]|\$\([@BCDQ]|\$\)[ACG]|\([IJ])/;
const SEQUENCE = /\x1b(?:\$[()*]?[\x40-\x7e]|[(.][\x40-\x7e]|&@|N)/y;

/** A set of characters; `encode` gives the bytes of a character in the charset that decodes it. */
type CharacterSet = { width: 1 | 2; decoder: string; encode: (bytes: number[]) => number[] };

const high = (bytes: number[]) => bytes.map((byte) => byte | 0x80);
const ASCII: CharacterSet = { width: 1, decoder: 'latin1', encode: (bytes) => bytes };
const JIS_X_0208: CharacterSet = { width: 2, decoder: 'eucjp', encode: high };
const GB_2312: CharacterSet = { width: 2, decoder: 'gb18030', encode: high };
const KS_X_1001: CharacterSet = { width: 2, decoder: 'cp949', encode: high };

const SETS: Record<string, CharacterSet> = {
  '(B': ASCII,
  '(J': ASCII,
  '(H': ASCII,
  '(I': { width: 1, decoder: 'eucjp', encode: (bytes) => [0x8e, ...high(bytes)] },
  '$@': JIS_X_0208,
  $B: JIS_X_0208,
  '$(@': JIS_X_0208,
  '$(B': JIS_X_0208,
  // JIS X 0213 has the characters of JIS X 0208, and more that look the same here.
  '$(Q': JIS_X_0208,
  '$(D': { width: 2, decoder: 'eucjp', encode: (bytes) => [0x8f, ...high(bytes)] },
  $A: GB_2312,
  '$)A': GB_2312,
  '$(C': KS_X_1001,
  '$)C': KS_X_1001,
  '.A': { width: 1, decoder: 'iso88591', encode: high },
  '.F': { width: 1, decoder: 'iso88597', encode: high },
};

/**
 * Decodes ISO-2022-JP with its extensions (RFC 1468, RFC 1554, RFC 2237), -KR (RFC 1557) and the GB 2312 part of -CN.
 * A line break returns to ASCII, so that a lost escape sequence spoils one line only.
 */
export function decodeIso2022(bytes: Buffer): string {
  const raw = bytes.toString('latin1');
  let [text, at] = ['', 0];
  let [main, shifted, single]: (CharacterSet | undefined)[] = [ASCII, undefined, undefined];
  let [isShifted, isSingle] = [false, false];
  let run: { set: CharacterSet; bytes: number[] } = { set: ASCII, bytes: [] };
  const flush = () => {
    text +=
      run.set === ASCII
        ? Buffer.from(run.bytes).toString('latin1')
        : iconv.decode(Buffer.from(run.bytes), run.set.decoder);
  };
  while (at < bytes.length) {
    const byte = bytes[at] as number;
    if (byte === ESCAPE) {
      SEQUENCE.lastIndex = at;
      const sequence = SEQUENCE.exec(raw)?.[0];
      at += sequence?.length ?? 1;
      const name = sequence?.slice(1) ?? '';
      isSingle = name === 'N';
      const set = SETS[name];
      if (name.startsWith('$)')) shifted = set;
      else if (name.startsWith('.')) single = set;
      else if (name !== 'N' && name !== '&@') main = set ?? (name.startsWith('$') ? UNKNOWN : ASCII);
      continue;
    }
    if (byte === SHIFT_OUT || byte === SHIFT_IN) {
      isShifted = byte === SHIFT_OUT;
      at += 1;
      continue;
    }
    if (byte === 0x0a || byte === 0x0d) [main, isShifted] = [ASCII, false];
    const isSpace = byte <= 0x20;
    let set: CharacterSet = ((isSingle && single) || (isShifted && shifted) || main) as CharacterSet;
    if (byte >= 0x80) set = HALF_WIDTH;
    else if (isSpace) set = ASCII;
    isSingle = false;
    if (run.set !== set) {
      flush();
      run = { set, bytes: [] };
    }
    const character = [...bytes.subarray(at, at + set.width)];
    run.bytes.push(...set.encode(character));
    at += set.width;
  }
  flush();
  return text;
}

/** A set of two bytes that no decoder has: a replacement character for each. */
const UNKNOWN: CharacterSet = { width: 2, decoder: 'utf8', encode: () => [0xef, 0xbf, 0xbd] };

/** Katakana as single bytes among the escape sequences, against the standards but in use. */
const HALF_WIDTH: CharacterSet = { width: 1, decoder: 'shiftjis', encode: (bytes) => bytes };

/** Decodes HZ-GB-2312 (RFC 1843): GB 2312 as 7-bit text between `~{` and `~}`, or up to what can't be such text. */
export function decodeHz(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replace(/~\{([\x21-\x7e]*?)(?:~\}|(?![\x21-\x7e]))|~~|~\r?\n/g, (found, pairs: string | undefined) => {
      if (pairs === undefined) return found === '~~' ? '~' : '';
      return iconv.decode(Buffer.from(high([...Buffer.from(pairs, 'latin1')])), 'gb18030');
    });
}
