import { decodeText } from './decode-text';

/** A header field: `raw` is its unfolded body, with one character per byte. */
export type RawField = { name: string; raw: string };

/** The fields at the start of the bytes, and where the body begins. */
export type RawHeader = { fields: RawField[]; bodyStart: number };

/**
 * Splits a header as Postfix does: it ends at an empty line, or before a line that is neither a field nor the
 * continuation of one. The envelope lines of mbox files are skipped. A line of white space only continues a field when
 * another field follows; otherwise it stands for the empty line.
 */
export function readFields(bytes: Buffer, start = 0, end = bytes.length): RawHeader {
  const fields: RawField[] = [];
  let lines: string[] = [];
  const close = () => {
    const [first, ...rest] = lines;
    if (first !== undefined) {
      const colon = first.indexOf(':');
      const body = [first.slice(colon + 1), ...rest].join('').replace(/[\r\n]+/g, ' ');
      fields.push({ name: first.slice(0, colon).trimEnd(), raw: trim(body) });
    }
    lines = [];
  };
  let at = start;
  while (at < end) {
    const lineEnd = bytes.indexOf(0x0a, at);
    const next = lineEnd < 0 || lineEnd >= end ? end : lineEnd + 1;
    const isFirst = fields.length === 0 && lines.length === 0;
    const whole = bytes.toString('latin1', at, next).replace(/\r?\n$/, '');
    const line = isFirst ? whole.replace(BYTE_ORDER_MARK, '') : whole;
    if (line === '') {
      close();
      return { fields, bodyStart: next };
    }
    if (FIELD.test(isFirst ? line.trimStart() : line)) {
      close();
      lines = [line.trimStart()];
    } else if (/^[ \t]/.test(line) && !isFirst) {
      if (BLANK.test(line) && !isFieldNext(bytes, next, end)) {
        close();
        return { fields, bodyStart: lineAt(bytes, next, end) === '' ? afterLine(bytes, next, end) : next };
      }
      lines.push(line);
    } else if (lines.at(-1)?.trimEnd().endsWith(';') && PARAMETER.test(line)) {
      lines.push(` ${line}`);
    } else if (!(ENVELOPE.test(line) && (isFirst || isFieldNext(bytes, next, end)))) {
      close();
      return { fields, bodyStart: at };
    }
    at = next;
  }
  close();
  return { fields, bodyStart: end };
}

const BYTE_ORDER_MARK = /^\xef\xbb\xbf/;
const FIELD = /^[\x21-\x39\x3b-\x7e]+[ \t]*:/;
const ENVELOPE = /^>?From /;
/** The continuation of a field that ends in a semicolon, without the white space that it should begin with. */
const PARAMETER = /^[\w*-]{1,50}=/;
const BLANK = /^[ \t]+$/;

/** Whether a field follows, behind lines that continue the one before. */
function isFieldNext(bytes: Buffer, start: number, end: number): boolean {
  let at = start;
  for (let lines = 0; lines < MAX_CONTINUATIONS; lines++) {
    const line = lineAt(bytes, at, end);
    if (!/^[ \t]/.test(line)) return FIELD.test(line);
    at = afterLine(bytes, at, end);
  }
  return false;
}

const MAX_CONTINUATIONS = 20;

/** The start of the line there, without its end. */
function lineAt(bytes: Buffer, start: number, end: number): string {
  const line = bytes.toString('latin1', start, Math.min(afterLine(bytes, start, end), start + 200));
  return line.replace(/\r?\n$/, '');
}

function afterLine(bytes: Buffer, start: number, end: number): number {
  const lineEnd = bytes.indexOf(0x0a, start);
  return lineEnd < 0 || lineEnd >= end ? end : lineEnd + 1;
}

/** Only what RFC 5322 calls white space: a no-break space stays. */
function trim(text: string): string {
  return strip(text, ' \t', ' \t');
}

/** The text without certain signs at its start and at its end. A regular expression would search for the end at each of those signs. */
export function strip(text: string, atStart: string, atEnd: string): string {
  let [start, end] = [0, text.length];
  while (start < end && atStart.includes(text.charAt(start))) start += 1;
  while (end > start && atEnd.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** Decodes 8-bit characters and escape sequences of a field's body, unless that was done, but no encoded words. */
export function decodeRaw(raw: string, hint: string | null): string {
  return /[\x1b\x80-\xff]/.test(raw) && !/[\u0100-\uffff]/.test(raw)
    ? decodeText(Buffer.from(raw, 'latin1'), { hint })
    : raw;
}
