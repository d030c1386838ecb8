import type { Email } from 'postal-mime';
import { decodeWords } from 'postal-mime';
import { headerEnd } from '@/lib/mail/header-end';
import { parseMessage } from '@/mail/inbound/parse-message';
import type { MessageContent } from '../schema';
import type { AttachedFile, Attachment } from './attached-file';
import { sanitiseHtml } from './sanitise-html';

const MAX_TEXT_LENGTH = 1_000_000;
const MAX_HEADERS = 500;
const MAX_HEADER_LENGTH = 8_000;
const MAX_ATTACHMENTS = 500;
const MAX_HEADER_BYTES = 128 * 1024;
const MAX_FILENAME_LENGTH = 255;

/** What a reader sees of a message, within limits. Of a message that can't be parsed, only the header. */
export async function viewOf(raw: Uint8Array): Promise<MessageContent> {
  const whole = await parseMessage(raw).catch(() => null);
  const email = whole ?? (await parseMessage(raw.slice(0, headerLength(raw))).catch(() => null));
  if (!email) return { text: null, html: null, headers: [], attachments: [], blocked_images: 0, truncated: true };
  const files = whole ? filesOf(whole) : [];
  const text = cut(email.text);
  const html = cut(email.html);
  const shown = html.value === null ? null : sanitiseHtml(html.value, files);
  const headers = headersOf(email);
  const isCut = text.isCut || html.isCut || headers.isCut || files.length > MAX_ATTACHMENTS || shown?.isCut === true;
  return {
    text: whole && text.value,
    html: shown?.html ?? null,
    headers: headers.list,
    attachments: files.slice(0, MAX_ATTACHMENTS).map(({ filename, contentType, content }, index) => ({
      index,
      filename,
      content_type: contentType,
      size: content.byteLength,
      inline: shown?.shownFiles.has(index) ?? false,
    })),
    blocked_images: shown?.blockedImages ?? 0,
    truncated: !whole || isCut,
  };
}

/** Null if the message has no such attachment. */
export async function attachmentIn(raw: Uint8Array, index: number): Promise<Attachment | null> {
  const email = await parseMessage(raw).catch(() => null);
  const file = email && filesOf(email)[index];
  return file ? { filename: file.filename, contentType: file.contentType, content: file.content } : null;
}

function filesOf({ attachments }: Email): AttachedFile[] {
  return attachments.map(({ filename, mimeType, content, contentId }, index) => ({
    filename: (filename || `attachment-${index + 1}`).toWellFormed().slice(0, MAX_FILENAME_LENGTH),
    contentType: (mimeType || 'application/octet-stream').toWellFormed().slice(0, MAX_FILENAME_LENGTH),
    content: typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content),
    contentId: contentId?.replace(/^<|>$/g, '') || null,
  }));
}

function headersOf({ headers, headerLines }: Email) {
  const fields = headers.filter(({ key }, index) => key !== '' && headerLines[index]?.line.includes(':'));
  const list = fields.slice(0, MAX_HEADERS).map(({ originalKey, value }) => ({
    name: originalKey.toWellFormed().slice(0, MAX_HEADER_LENGTH),
    value: decodeWords(value.slice(0, MAX_HEADER_LENGTH))
      .replace(/[\r\n]+/g, ' ')
      .toWellFormed(),
  }));
  const isCut = fields.length > MAX_HEADERS || fields.some(({ value }) => value.length > MAX_HEADER_LENGTH);
  return { list, isCut };
}

function cut(text: string | undefined) {
  if (text === undefined || text === '') return { value: null, isCut: false };
  return { value: text.slice(0, MAX_TEXT_LENGTH).toWellFormed(), isCut: text.length > MAX_TEXT_LENGTH };
}

function headerLength(raw: Uint8Array): number {
  const text = Buffer.from(raw.buffer, raw.byteOffset, Math.min(raw.byteLength, MAX_HEADER_BYTES));
  const end = headerEnd(text);
  return end === null ? text.byteLength : end + 2;
}
