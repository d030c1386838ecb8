import { decodeText } from './decode-text';
import { decodeBase64 } from './transfer-encoding';

// The text of a word ends before the start of another one, so that a search never returns to it.
const WORD = /=\?([^?\s]{1,200})\?([bq])\?((?:[^?=]|=(?!\?[^=])|\?(?!=))*)\?=/gi;

/**
 * Decodes the encoded words of a text (RFC 2047). Neighbours in one charset are decoded together, since senders split
 * characters between them; white space between two words is left out, also where a word is broken.
 */
export function decodeWords(text: string, hint: string | null = null): string {
  if (!text.includes('=?')) return text;
  let decoded = '';
  let end = 0;
  let open: { charset: string; bytes: Buffer[] } | null = null;
  const close = () => {
    if (open) decoded += decodeText(Buffer.concat(open.bytes), { declared: open.charset, hint });
    open = null;
  };
  for (const { index, 0: word, 1: label = '', 2: encoding = '', 3: content = '' } of text.matchAll(WORD)) {
    const between = text.slice(end, index);
    const charset = label.replace(/\*.*/, '').toLowerCase();
    if (open && (!BLANK.test(between) || open.charset !== charset)) close();
    if (!(end > 0 && BLANK.test(between))) decoded += between;
    open ??= { charset, bytes: [] };
    open.bytes.push(encoding.toLowerCase() === 'b' ? fromBase64(content) : fromQ(content));
    end = index + word.length;
  }
  close();
  return decoded + text.slice(end);
}

const BLANK = /^[ \t\r\n]*$/;

/** Words can hold several pieces, each with its own padding. */
function fromBase64(content: string): Buffer {
  const pieces = content.replace(/[^A-Za-z0-9+/=_-]/g, '').match(/[^=]+=*/g) ?? [];
  return Buffer.concat(
    pieces.map((piece) => decodeBase64(Buffer.from(piece.replaceAll('-', '+').replaceAll('_', '/')))),
  );
}

function fromQ(content: string): Buffer {
  const bytes = content
    .replaceAll('_', ' ')
    .replace(/=([0-9a-f]{2})/gi, (_found, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return /[\u0100-\uffff]/.test(content) ? Buffer.from(bytes) : Buffer.from(bytes, 'latin1');
}
