import type { z } from 'zod';
import { Metadata, Tags } from '@/lib/mail/message-labels';
import { AppError } from './errors';
import { parseJsonObject } from './http/body/json';

/** The decoded values of the header fields with tags and metadata, in a message that is submitted by SMTP. */
export type LabelFields = { tags: readonly string[]; metadata: readonly string[] };

/** The labels, without those of an invalid field, and what is wrong with each of these. */
export type SubmittedLabels = {
  tags?: z.infer<typeof Tags>;
  metadata?: z.infer<typeof Metadata>;
  problems: string[];
};

/** X-Postroom-Tags and X-Postroom-Metadata. The mail server removes them in rspamd.local.lua. */
export const LABEL_FIELD = /^x-postroom-(?:tags|metadata)[ \t]*:/i;

/** Reads the tags and metadata of a message that is submitted by SMTP, by the rules of `POST /send`. */
export function readLabelFields(fields: LabelFields): SubmittedLabels {
  const tags: Read<z.infer<typeof Tags>> = fields.tags.length > 0 ? tagsIn(fields.tags) : {};
  const metadata: Read<z.infer<typeof Metadata>> = fields.metadata.length > 0 ? metadataIn(fields.metadata) : {};
  return {
    tags: tags.value,
    metadata: metadata.value,
    problems: [
      ...(tags.problem ? [`X-Postroom-Tags: ${tags.problem}`] : []),
      ...(metadata.problem ? [`X-Postroom-Metadata: ${metadata.problem}`] : []),
    ],
  };
}

type Read<Value> = { value?: Value; problem?: string };

function tagsIn(fields: readonly string[]): Read<z.infer<typeof Tags>> {
  const texts = fields.flatMap((field) => field.split(',')).filter((text) => text.trim() !== '');
  const pairs = texts.map((text) => text.split('=').map((part) => part.trim()));
  if (pairs.some(({ length }) => length !== 2)) return { problem: 'Write tags as kind=receipt, team=shop.' };
  const tags = Object.fromEntries(pairs);
  if (Object.keys(tags).length < pairs.length) return { problem: 'Name each tag once.' };
  return checked(Tags, tags);
}

function metadataIn([field = '', ...others]: readonly string[]): Read<z.infer<typeof Metadata>> {
  if (others.length > 0) return { problem: 'Use the field once.' };
  try {
    return checked(Metadata, parseJsonObject(new TextEncoder().encode(field)));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { problem: 'Enter a JSON object such as {"order": 1042}.' };
  }
}

function checked<Schema extends z.ZodType>(schema: Schema, value: unknown): Read<z.infer<Schema>> {
  const { data, error } = schema.safeParse(value);
  return error ? { problem: error.issues[0]?.message ?? '' } : { value: data };
}
