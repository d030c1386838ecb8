import { type Mailbox, readAddresses } from './addresses';
import { type Bodies, bodiesOf } from './bodies';
import { decoderFor } from './charset-label';
import { decodeWords } from './encoded-words';
import { decodeRaw, type RawField, readFields } from './header-fields';
import { readStructured } from './parameters';
import { bodyOf, type Part, readPart } from './parts';

/** The header of a message; its texts are decoded and have no line breaks. */
export type MailHeader = {
  /** @param limits how many fields are decoded, and how many bytes of each; by default all */
  fields: (limits?: { count: number; bytes: number }) => { name: string; value: string; isCut: boolean }[];
  /** The first field of that name, which is given in lower case. */
  value: (name: string) => string | null;
  /** The addresses of all fields of that name. */
  addresses: (name: string) => Mailbox[];
};

export type Message = Bodies & { header: MailHeader };

/**
 * Reads a whole message. An attached message stays one file.
 * @throws if parts are nested too deeply
 */
export function readMessage(raw: Uint8Array): Message {
  const root = readPart(bufferOf(raw));
  const hint = hintOf(root);
  return { header: headerOf(root.fields, hint), ...bodiesOf(root, hint) };
}

/**
 * Reads only the header.
 * @param hint a charset for 8-bit characters, if the header names none
 * @param fieldBytes how many bytes of each field are read; by default all
 */
export function readHeader(
  raw: Uint8Array,
  hint: string | null = null,
  fieldBytes = Number.POSITIVE_INFINITY,
): MailHeader {
  const fields = readFields(bufferOf(raw)).fields.map((field) => ({ ...field, raw: field.raw.slice(0, fieldBytes) }));
  const declared = readStructured(bodyOf(fields, 'content-type') ?? '').parameter('charset');
  return headerOf(fields, telling(declared) ?? hint ?? labelInWords(fields));
}

// For a header, which is read on the main thread: a message that names its charset does so in one of the first parts.
const MAX_PARTS_FOR_CHARSET = 200;

/**
 * The charset that a message, or the start of one, shows for its 8-bit header; null without one, or if its parts can't be read, such
 * as hundreds of them.
 */
export function charsetIn(raw: Uint8Array): string | null {
  try {
    return hintOf(readPart(bufferOf(raw), MAX_PARTS_FOR_CHARSET));
  } catch {
    return null;
  }
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

function headerOf(fields: readonly RawField[], hint: string | null): MailHeader {
  const decoded = (raw: string) => decodeWords(decodeRaw(raw, hint), hint).replace(/[\r\n]+/g, ' ');
  return {
    fields: ({ count, bytes } = { count: fields.length, bytes: Number.POSITIVE_INFINITY }) =>
      fields
        .slice(0, count)
        .map(({ name, raw }) => ({ name, value: decoded(raw.slice(0, bytes)), isCut: raw.length > bytes })),
    value: (name) => {
      const body = bodyOf(fields, name);
      return body === null ? null : decoded(body);
    },
    addresses: (name) =>
      fields.filter((field) => field.name.toLowerCase() === name).flatMap(({ raw }) => readAddresses(raw, hint)),
  };
}

function hintOf(root: Part): string | null {
  return labelIn(root) ?? labelInWords(root.fields);
}

/** The first charset that a text of the message declares and that says something of its other texts. */
function labelIn({ type, contentType, children }: Part): string | null {
  const own = type.startsWith('text/') ? telling(contentType.parameter('charset')) : null;
  if (own) return own;
  for (const child of children) {
    const label = labelIn(child);
    if (label) return label;
  }
  return null;
}

function labelInWords(fields: readonly RawField[]): string | null {
  for (const { raw } of fields) {
    const label = /=\?([^?*\s]{1,200})[^?\s]{0,200}\?[bq]\?/i.exec(raw)?.[1];
    if (telling(label ?? null)) return label ?? null;
  }
  return null;
}

/** UTF-8 shows itself, and windows-1252 is assumed anyway. */
function telling(label: string | null): string | null {
  const decoder = label ? decoderFor(label) : null;
  return decoder && !/^(?:utf|ucs|windows1252|cp1252)/.test(decoder.name) ? label : null;
}
