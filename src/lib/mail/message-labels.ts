import { z } from 'zod';
import { isObject, isStorable, jsonBytes } from '@/lib/json-values';
import { ifOtherType } from '@/lib/texts/field-messages';
import { MAX_TAG_LENGTH, MAX_TAGS, TAG_NAME, TAG_NAME_RULE, TAG_VALUE, TAG_VALUE_RULE } from './message-tags';

/** The most bytes of metadata, as JSON without spaces in UTF-8. */
const MAX_METADATA_BYTES = 2048;

type Issue = { code: 'custom'; message: string; path?: string[]; params?: { apiCode: string } };

export const Tags = checkedRecord(tagIssues, z.string(), 'Enter an object such as {"kind": "receipt"}.').meta({
  description: `At most ${MAX_TAGS} tags by name, to find and count messages by. Names have letters, digits, _ and -, values also . and @`,
  maxProperties: MAX_TAGS,
  propertyNames: { type: 'string', pattern: TAG_NAME.source },
  additionalProperties: { type: 'string', pattern: TAG_VALUE.source },
});

export const Metadata = checkedRecord(metadataIssues, z.unknown(), 'Enter an object such as {"order": 1042}.').meta({
  description: `A JSON object of at most ${MAX_METADATA_BYTES / 1024} KB that events and the message return. Recipients don’t see it`,
});

/** Checks a record before z.record, which silently drops an own `__proto__`. */
function checkedRecord<Value extends z.ZodType>(
  issuesOf: (raw: Record<string, unknown>) => Issue[],
  value: Value,
  noObject: string,
) {
  return z.preprocess(
    (raw, ctx) => {
      for (const issue of isObject(raw) ? issuesOf(raw) : []) ctx.addIssue(issue);
      return raw;
    },
    z.record(z.string(), value, { error: ifOtherType(noObject) }),
  );
}

function tagIssues(tags: Record<string, unknown>): Issue[] {
  const entries = Object.entries(tags);
  if (entries.length > MAX_TAGS) return [invalid(`Enter at most ${MAX_TAGS} tags.`)];
  return entries.flatMap(([name, value]) => {
    const path = [name.slice(0, MAX_TAG_LENGTH)];
    if (!TAG_NAME.test(name)) return [invalid(TAG_NAME_RULE, path)];
    return typeof value === 'string' && TAG_VALUE.test(value) ? [] : [invalid(TAG_VALUE_RULE, path)];
  });
}

function metadataIssues(metadata: Record<string, unknown>): Issue[] {
  if (Object.hasOwn(metadata, '__proto__')) return [invalid('Choose another name than __proto__.')];
  if (!isStorable(metadata)) {
    return [invalid('NUL characters, lone surrogates and numbers beyond 1.8e308 aren’t allowed.')];
  }
  const size = jsonBytes(metadata);
  return size <= MAX_METADATA_BYTES
    ? []
    : [invalid(`Enter at most ${MAX_METADATA_BYTES} bytes of JSON. This is ${size} bytes.`)];
}

function invalid(message: string, path?: string[]): Issue {
  return { code: 'custom', message, ...(path && { path }), params: { apiCode: 'VALIDATION_ERROR' } };
}
