import { InvalidField } from '@/components/api/problem';
import { currentTimeZone } from '@/lib/time/time-zone';
import { enteredTime, INCOMPLETE_MOMENT, isIncompleteMoment } from '@/lib/time/zoned-time';
import type { Address } from '../../fields/addresses';
import type { OutgoingMessage } from '../../schema';

export type SelectedFile = { key: string; file: File };
export type HeaderRow = { key: string; name: string; value: string };

/** The fields of `POST /send`, with files that are read when the message is sent. */
export type ComposeValues = {
  from: { email: string };
  to: Address[];
  cc: Address[];
  bcc: Address[];
  reply_to: string;
  subject: string;
  text_body: string;
  html_body: string;
  attachments: SelectedFile[];
  headers: HeaderRow[];
  /** In the viewer's time zone, such as 2026-11-29T21:43. Empty: at once. */
  send_at: string;
  /** An empty list is none. */
  unsubscribe: { list: string };
};

export const ATTACHMENTS_LIMIT_BYTES = 25 * 1024 * 1024;

export const EMPTY_COMPOSE: ComposeValues = {
  from: { email: '' },
  to: [],
  cc: [],
  bcc: [],
  reply_to: '',
  subject: '',
  text_body: '',
  html_body: '',
  attachments: [],
  headers: [],
  send_at: '',
  unsubscribe: { list: '' },
};

type Content = { filename: string; content_type: string; content: string };

/** The form's values as the body of `POST /send`. */
function requestOf(values: ComposeValues, attachments: Content[]): OutgoingMessage {
  const { from, to, cc, bcc, reply_to, subject, text_body, html_body } = values;
  const sendAt = enteredTime(values.send_at, currentTimeZone());
  const list = values.unsubscribe.list.trim();
  const headers = values.headers.filter(({ name }) => name.trim() !== '');
  return {
    from: { email: from.email.trim().replace(/\s*@/, '@') },
    to,
    ...(cc.length > 0 && { cc }),
    ...(bcc.length > 0 && { bcc }),
    ...(reply_to.trim() !== '' && { reply_to: parseRecipient(reply_to) }),
    subject,
    ...(text_body !== '' && { text_body }),
    ...(html_body.trim() !== '' && { html_body }),
    ...(attachments.length > 0 && { attachments }),
    ...(headers.length > 0 && { headers: Object.fromEntries(headers.map(({ name, value }) => [name.trim(), value])) }),
    ...(sendAt && { send_at: sendAt.toISOString() }),
    ...(list !== '' && { unsubscribe: { list } }),
  };
}

/** The request with `contentOf` in place of each file's content. */
export function requestWith(values: ComposeValues, contentOf: (file: SelectedFile) => string): OutgoingMessage {
  return requestOf(
    values,
    values.attachments.map((selected) => attachmentOf(selected.file, contentOf(selected))),
  );
}

export async function requestWithFiles(values: ComposeValues): Promise<OutgoingMessage> {
  const read = async ({ file }: SelectedFile) => attachmentOf(file, await readBase64(file));
  return requestOf(values, await Promise.all(values.attachments.map(read)));
}

export function parseRecipient(text: string): Address {
  const named = /^\s*"?([^"<>]*?)"?\s*<([^<>]*)>\s*$/.exec(text);
  if (!named) return { email: text.trim() };
  const [, name = '', email = ''] = named;
  return name === '' ? { email: email.trim() } : { name, email: email.trim() };
}

export function formatRecipient({ name, email }: Address): string {
  if (!name) return email;
  return /[,;]/.test(name) ? `"${name}" <${email}>` : `${name} <${email}>`;
}

export function attachmentBytes(files: SelectedFile[]): number {
  return files.reduce((sum, { file }) => sum + file.size, 0);
}

/** Errors that the API never sees: files beyond the console's own limit, and a time that isn't complete. */
export function composeErrors({ attachments, send_at }: ComposeValues): Record<string, string> {
  const isOver = attachmentBytes(attachments) > ATTACHMENTS_LIMIT_BYTES;
  return {
    ...(isOver && { attachments: 'Attachments can be up to 25 MB in total.' }),
    // It would be sent at once otherwise.
    ...(isIncompleteMoment(send_at) && { send_at: INCOMPLETE_MOMENT }),
  };
}

function attachmentOf({ name, type }: File, content: string): Content {
  return { filename: name, content_type: type || 'application/octet-stream', content };
}

function readBase64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
    reader.onerror = () => reject(new InvalidField('attachments', `${file.name} couldn’t be read.`));
    reader.readAsDataURL(file);
  });
}
