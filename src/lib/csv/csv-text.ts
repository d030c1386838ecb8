import { z } from 'zod';
import { formatCount } from '../format';

const SAVE_AS = 'Save the file as “CSV UTF-8”.';
const LOST = /[\ufffd\u0080-\u009f]/;
/** The characters of Windows-1252 from 0x80 on that aren't those of Latin-1. */
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';
const BYTES = new Map([...WINDOWS_1252].map((letter, index) => [letter.charCodeAt(0), 0x80 + index]));

/** The text of a CSV file that was read in the encoding it was written in. */
export function csvText(maxLength: number) {
  return z
    .string()
    .min(1, 'Choose a file or paste CSV.')
    .max(maxLength, `CSV can be at most ${formatCount(maxLength)} characters. Split it and import the parts.`)
    .superRefine((text, ctx) => {
      const message = misreading(text);
      if (message) ctx.addIssue({ code: 'custom', message });
    });
}

/** Returns what shows that text was read in another encoding than its own, or null. */
function misreading(text: string): string | null {
  if (text.startsWith('PK\u0003\u0004')) return 'This is an Excel workbook, not CSV. Save it as “CSV UTF-8”.';
  if (text.includes('\0')) return `The text contains NUL characters, as UTF-16 does that is read as UTF-8. ${SAVE_AS}`;
  if (isTwiceEncoded(text)) return `The text is UTF-8 that was read in another encoding. Read the file as UTF-8.`;
  const lost = text.search(LOST);
  if (lost < 0) return null;
  const line = text.slice(0, lost).split(/\r\n?|\n/).length;
  return `Line ${line} has characters that couldn’t be read, because the file isn’t UTF-8. ${SAVE_AS}`;
}

/** Whether all letters beyond ASCII are bytes of UTF-8, such as Ã¼ for ü. */
function isTwiceEncoded(text: string): boolean {
  const bytes = new Uint8Array(text.length);
  let isAscii = true;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    const byte = code > 0xff || (code >= 0x80 && code < 0xa0) ? (BYTES.get(code) ?? (code < 0xa0 ? code : -1)) : code;
    if (byte < 0) return false;
    bytes[index] = byte;
    if (byte >= 0x80) isAscii = false;
  }
  if (isAscii) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
