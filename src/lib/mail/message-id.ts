import { withoutSpaces } from './address';

export const MAX_MESSAGE_ID_LENGTH = 900;
const MESSAGE_ID = /^[^@]+@.*[^@]$/;

/** The text as a Message-ID to look for, in the angle brackets that copying often leaves out. */
export function withBrackets(text: string): string {
  const id = withoutSpaces(text);
  return id.startsWith('<') ? id : `<${id}>`;
}

/**
 * A Message-ID in its angle brackets, which the text may leave out, with the spaces around it. Null if it isn't exactly one.
 * Programs write many characters that RFC 5322 doesn't allow there, such as a second @, and replies have to name them.
 */
export function parseMessageId(text: string): string | null {
  const id = withoutSpaces(text).replace(/^<(.*)>$/, '$1');
  const isPlain = id.length <= MAX_MESSAGE_ID_LENGTH && /^[\x21-\x3b\x3d\x3f-\x7e]+$/.test(id);
  return isPlain && MESSAGE_ID.test(id) ? `<${id}>` : null;
}
