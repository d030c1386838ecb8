import { z } from 'zod';
import { isObject } from '@/lib/json-values';
import { plainText } from '@/lib/wire';
import { MAX_HEADER_VALUE_LENGTH, STANDARD_HEADERS } from './standard-headers';

const MAX_HEADERS = 50;
const MAX_HEADER_NAME_LENGTH = 76;

// Checked before z.record, which silently drops an own `__proto__`. Sending rule 3 has its own error code.
export const Headers = z
  .preprocess(
    (raw, ctx) => {
      for (const issue of headerIssues(raw)) ctx.addIssue(issue);
      return raw;
    },
    z.record(z.string(), z.string()),
  )
  .meta({
    description: `At most ${MAX_HEADERS} header fields. Names start with X-, and each value is one line of text`,
    maxProperties: MAX_HEADERS,
    propertyNames: { type: 'string', pattern: '^[Xx]-', maxLength: MAX_HEADER_NAME_LENGTH },
  });

type HeaderIssue = { code: 'custom'; message: string; path?: string[]; params?: { apiCode: string } };

function* headerIssues(raw: unknown): Generator<HeaderIssue> {
  if (!isObject(raw)) return;
  const names = Object.keys(raw);
  if (names.length > MAX_HEADERS) yield { code: 'custom', message: `Enter at most ${MAX_HEADERS} headers.` };
  const seen = new Set<string>();
  let reported = 0;
  for (const name of names) {
    const message = findHeaderError(name, raw[name], seen);
    if (message === null) continue;
    yield {
      code: 'custom',
      message,
      path: [name.slice(0, MAX_HEADER_NAME_LENGTH)],
      params: { apiCode: 'INVALID_HEADER' },
    };
    reported += 1;
    if (reported === MAX_HEADERS) return;
  }
}

function findHeaderError(name: string, value: unknown, seen: Set<string>): string | null {
  const field = FIELDS.get(name.toLowerCase());
  if (!/^x-/i.test(name)) {
    return `Custom header names must start with X-.${field ? ` Use the field ${field} instead.` : ''}`;
  }
  if (field) return `Use the field ${field} instead.`;
  if (name.length > MAX_HEADER_NAME_LENGTH || !HEADER_NAME.test(name)) {
    return `Use at most ${MAX_HEADER_NAME_LENGTH} letters, digits and hyphens in a header name.`;
  }
  if (seen.has(name.toLowerCase())) return 'Duplicate header.';
  seen.add(name.toLowerCase());
  return HeaderValue.safeParse(value).success
    ? null
    : `Enter a header value of one line with at most ${MAX_HEADER_VALUE_LENGTH} characters.`;
}

/** Headers that have a field of their own. */
const FIELDS = new Map([
  ...['from', 'to', 'cc', 'bcc', 'subject', 'references'].map((name): [string, string] => [name, name]),
  ['reply-to', 'reply_to'],
  ['in-reply-to', 'in_reply_to'],
  ['auto-submitted', 'auto_submitted'],
  ['precedence', 'auto_submitted'],
  ...STANDARD_HEADERS.map(([field, name]): [string, string] => [name.toLowerCase(), field]),
  // In mail that comes by SMTP. The mail server removes them.
  ['x-postroom-tags', 'tags'],
  ['x-postroom-metadata', 'metadata'],
  ...['list-id', 'list-unsubscribe', 'list-unsubscribe-post'].map((name): [string, string] => [name, 'unsubscribe']),
]);

const HEADER_NAME = /^x-[\w!#$%&'*+.^`|~-]+$/i;
const HeaderValue = plainText(MAX_HEADER_VALUE_LENGTH);
