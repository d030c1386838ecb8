import { withoutSpaces } from './address';

const MAX_LENGTH = 255;
// Some readers drop a comment in parentheses, or take quotes, backslashes and percent signs for something else.
const CONTENT_ID = /^[\w!#$&'*+,./:;=?@^`{|}~-]+$/;

/** A Content-ID without the angle brackets and spaces that may be around it, as `cid:` in HTML names it. Null if it is none. */
export function parseContentId(text: string): string | null {
  const id = withoutSpaces(text).replace(/^<(.*)>$/, '$1');
  const isPlain = id.length <= MAX_LENGTH && CONTENT_ID.test(id) && !id.includes('=?') && !/^cid:/i.test(id);
  return isPlain ? id : null;
}
