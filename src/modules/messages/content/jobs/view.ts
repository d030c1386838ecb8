import { attachedFiles } from '@/mail/mime/attached-files';
import { type MailHeader, type Message, readHeader, readMessage } from '@/mail/mime/message';
import type { MessageContent } from '../schema';
import type { Attachment } from './attached-file';
import { sanitiseHtml } from './sanitise-html';

const MAX_TEXT_LENGTH = 1_000_000;
const MAX_HEADERS = 500;
const MAX_HEADER_LENGTH = 8_000;
/** Encoded words can take several bytes for a character. */
const MAX_RAW_HEADER_BYTES = 4 * MAX_HEADER_LENGTH;
const MAX_ATTACHMENTS = 500;
const MAX_CONTENT_ID_LENGTH = 998;

/** Returns the content of a message that a reader sees, within limits. For a message that can't be parsed, only the header. */
export async function viewOf(raw: Uint8Array): Promise<MessageContent> {
  const whole = parsed(raw);
  const header = whole?.header ?? readHeader(raw);
  const files = whole ? attachedFiles(whole.attachments) : [];
  const text = cut(whole?.text);
  const html = cut(whole?.html);
  const shown = html.value === null ? null : sanitiseHtml(html.value, files);
  const headers = headersOf(header);
  const isCut = text.isCut || html.isCut || headers.isCut || files.length > MAX_ATTACHMENTS || shown?.isCut === true;
  return {
    text: text.value,
    html: shown?.html ?? null,
    protection: whole?.protection ?? null,
    headers: headers.list,
    attachments: files
      .slice(0, MAX_ATTACHMENTS)
      .map(({ filename, contentType, content, contentId, disposition }, index) => ({
        index,
        filename,
        content_type: contentType,
        size: content.byteLength,
        inline: shown?.shownFiles.has(index) ?? false,
        content_id: contentId?.slice(0, MAX_CONTENT_ID_LENGTH).toWellFormed() ?? null,
        disposition,
      })),
    blocked_images: shown?.blockedImages ?? 0,
    truncated: !whole || isCut,
  };
}

/** Null if the parts are nested too deeply. */
function parsed(raw: Uint8Array): Message | null {
  try {
    return readMessage(raw);
  } catch {
    return null;
  }
}

/** Null if the message has no such attachment. */
export async function attachmentIn(raw: Uint8Array, index: number): Promise<Attachment | null> {
  const file = attachedFiles(parsed(raw)?.attachments ?? [])[index];
  return file ? { filename: file.filename, contentType: file.contentType, content: file.content } : null;
}

function headersOf(header: MailHeader) {
  const fields = header.fields({ count: MAX_HEADERS + 1, bytes: MAX_RAW_HEADER_BYTES });
  const list = fields.slice(0, MAX_HEADERS).map(({ name, value }) => ({
    name: name.toWellFormed().slice(0, MAX_HEADER_LENGTH),
    value: value.slice(0, MAX_HEADER_LENGTH).toWellFormed(),
  }));
  const isCut =
    fields.length > MAX_HEADERS || fields.some((field) => field.isCut || field.value.length > MAX_HEADER_LENGTH);
  return { list, isCut };
}

function cut(text: string | null | undefined) {
  if (!text) return { value: null, isCut: false };
  return { value: text.slice(0, MAX_TEXT_LENGTH).toWellFormed(), isCut: text.length > MAX_TEXT_LENGTH };
}
