import { setImmediate as pause } from 'node:timers/promises';
import type { Mailbox } from '@/mail/mime/addresses';
import { type AttachedFile, attachedFiles } from '@/mail/mime/attached-files';
import { type MailHeader, readMessage } from '@/mail/mime/message';
import type { EventData } from '@/modules/events/service';

export type ParseJob = { raw: Uint8Array; mailFrom: string; headBytes: number };

type Full = EventData['mail.received.full'];

/** The fields that differ by domain, which come first. */
export type HeadFields = Pick<
  Full,
  'message_id' | 'subject' | 'domain' | 'envelope' | 'size' | 'spam_score' | 'spam_action' | 'queue_id'
>;

type Contact = Full['from'];

/** The fields of mail.received.full that come from the message itself, encoded by `encodeFields`. */
export async function parseFields({ raw, mailFrom, headBytes }: ParseJob): Promise<Uint8Array> {
  const message = readMessage(raw);
  const body = { body_text: message.text, body_html: message.html };
  return encodeFields(
    { ...headerFields(message.header, mailFrom), ...body },
    attachedFiles(message.attachments),
    headBytes,
  );
}

/** The fields that come from the header. */
export function headerFields(header: MailHeader, mailFrom: string) {
  const contacts = (name: string) => header.addresses(name).map(contact);
  const replyTo = contacts('reply-to');
  return {
    from: contacts('from')[0] ?? { name: '', email: mailFrom },
    to: contacts('to'),
    cc: contacts('cc'),
    reply_to: replyTo[0] ?? null,
    reply_to_all: replyTo,
    headers: headersByName(header),
  };
}

function contact({ name, address }: Mailbox): Contact {
  return { name, email: address };
}

/**
 * Encodes the remaining fields of a JSON object, its end and the end of the enclosing object as UTF-8, leaving `headBytes`
 * free at the start. Encodes slice by slice: the whole text may exceed the maximum length of a string.
 */
export async function encodeFields(
  fields: Omit<Full, keyof HeadFields | 'attachments'>,
  files: AttachedFile[],
  headBytes: number,
): Promise<Uint8Array> {
  const pieces: Piece[] = [textPiece(`${JSON.stringify(fields, wellFormed).slice(1, -1)},"attachments":[`)];
  for (const [index, { filename, contentType, disposition, contentId, content }] of files.entries()) {
    const described: Omit<Full['attachments'][number], 'content_base64'> = {
      filename,
      content_type: contentType,
      disposition,
      content_id: contentId,
      size: content.byteLength,
    };
    const text = JSON.stringify(described, wellFormed).slice(0, -1);
    pieces.push(textPiece(`${index > 0 ? ',' : ''}${text},"content_base64":"`), base64Piece(content), textPiece('"}'));
  }
  pieces.push(textPiece(']}}'));
  return write(pieces, headBytes);
}

type Piece = { bytes: Uint8Array; isBase64: boolean; encodedBytes: number };

function textPiece(text: string): Piece {
  const bytes = new TextEncoder().encode(text);
  return { bytes, isBase64: false, encodedBytes: bytes.byteLength };
}

function base64Piece(bytes: Uint8Array): Piece {
  return { bytes, isBase64: true, encodedBytes: Math.ceil(bytes.byteLength / 3) * 4 };
}

// A multiple of three, so that only the last slice has base64 padding.
const SLICE_BYTES = 384 * 1024;

async function write(pieces: Piece[], headBytes: number): Promise<Uint8Array> {
  const whole = new Uint8Array(pieces.reduce((sum, { encodedBytes }) => sum + encodedBytes, headBytes));
  let at = headBytes;
  for (const { bytes, isBase64 } of pieces) {
    for (let start = 0; start < bytes.byteLength; start += SLICE_BYTES) {
      const slice = bytes.subarray(start, start + SLICE_BYTES);
      const encoded = isBase64 ? Buffer.from(base64Of(slice), 'latin1') : slice;
      whole.set(encoded, at);
      at += encoded.byteLength;
      if (slice.byteLength === SLICE_BYTES) await pause();
    }
  }
  return whole;
}

function base64Of({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}

function wellFormed(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed() : value;
}

// Object.fromEntries creates own properties for all names, including `__proto__`.
function headersByName(header: MailHeader): Record<string, string> {
  const byKey = new Map<string, { name: string; values: string[] }>();
  for (const { name, value } of header.fields()) {
    const key = name.toLowerCase();
    const field = byKey.get(key) ?? { name, values: [] };
    field.values.push(value);
    byKey.set(key, field);
  }
  return Object.fromEntries([...byKey.values()].map(({ name, values }) => [name, values.join('\n')]));
}
