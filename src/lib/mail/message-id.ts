import { withoutSpaces, withPlusSigns } from './address';

/** A line of a header has up to 998 characters, with the name of the field, and an ID can't be folded. */
export const MAX_MESSAGE_ID_LENGTH = 980;
const ID = String.raw`[\x21-\x3b\x3d\x3f-\x7e]{1,${MAX_MESSAGE_ID_LENGTH}}`;

/**
 * A Message-ID in its angle brackets. Programs write many characters that RFC 5322 doesn't allow there, such as a second @ or none,
 * and replies have to name them.
 */
export const MESSAGE_ID = new RegExp(`<${ID}>`);
const WHOLE = new RegExp(`^<${ID}>$`);
const BARE = new RegExp(`^(?=[^@]+@.*[^@]$)${ID}$`);

/**
 * The text as a Message-ID to look for, in the angle brackets that copying often leaves out, and with the plus signs that weren't
 * encoded.
 */
export function withBrackets(text: string): string {
  const id = withPlusSigns(text);
  return id.startsWith('<') ? id : `<${id}>`;
}

/** A Message-ID in its angle brackets, which the text may leave out if it has an @, with the spaces around it. Null if it isn't exactly one. */
export function parseMessageId(text: string): string | null {
  const id = withoutSpaces(text);
  if (WHOLE.test(id)) return id;
  return BARE.test(id) ? `<${id}>` : null;
}
