import type { OutgoingMessage } from '../../schema';

export type SelectedFile = { key: string; file: File };
export type HeaderRow = { key: string; name: string; value: string };

export type ComposeValues = {
  local: string;
  domain: string;
  to: string[];
  cc: string[];
  bcc: string[];
  replyTo: string;
  subject: string;
  text: string;
  html: string;
  files: SelectedFile[];
  headers: HeaderRow[];
};

/** The form field of each API field path. */
export const COMPOSE_FIELDS: Record<string, string> = {
  from: 'local',
  'from.email': 'local',
  to: 'to',
  cc: 'cc',
  bcc: 'bcc',
  reply_to: 'replyTo',
  subject: 'subject',
  text_body: 'text',
  html_body: 'html',
  attachments: 'files',
  headers: 'headers',
};

export const ATTACHMENTS_LIMIT_BYTES = 25 * 1024 * 1024;

export const EMPTY_COMPOSE: ComposeValues = {
  local: '',
  domain: '',
  to: [],
  cc: [],
  bcc: [],
  replyTo: '',
  subject: '',
  text: '',
  html: '',
  files: [],
  headers: [],
};

type Content = { filename: string; content_type: string; content: string };

/** The form's values as the body of `POST /send`. */
export function requestOf(values: ComposeValues, attachments: Content[]): OutgoingMessage {
  const headers = values.headers.filter(({ name }) => name.trim() !== '');
  return {
    from: { email: `${values.local.trim()}@${values.domain}` },
    to: values.to.map(parseRecipient),
    ...(values.cc.length > 0 && { cc: values.cc.map(parseRecipient) }),
    ...(values.bcc.length > 0 && { bcc: values.bcc.map(parseRecipient) }),
    ...(values.replyTo.trim() !== '' && { reply_to: parseRecipient(values.replyTo) }),
    subject: values.subject,
    ...(values.text !== '' && { text_body: values.text }),
    ...(values.html.trim() !== '' && { html_body: values.html }),
    ...(attachments.length > 0 && { attachments }),
    ...(headers.length > 0 && { headers: Object.fromEntries(headers.map(({ name, value }) => [name.trim(), value])) }),
  };
}

function parseRecipient(text: string): { email: string; name?: string } {
  const named = /^\s*"?([^"<>]*?)"?\s*<([^<>]*)>\s*$/.exec(text);
  if (!named) return { email: text.trim() };
  const [, name = '', email = ''] = named;
  return name === '' ? { email: email.trim() } : { name, email: email.trim() };
}

export function attachmentBytes(files: SelectedFile[]): number {
  return files.reduce((sum, { file }) => sum + file.size, 0);
}

export async function readAttachments(files: SelectedFile[]): Promise<Content[]> {
  return Promise.all(
    files.map(async ({ file }) => ({
      filename: file.name,
      content_type: file.type || 'application/octet-stream',
      content: await readBase64(file),
    })),
  );
}

export function validateCompose(values: ComposeValues): Record<string, string> {
  const errors: Record<string, string> = {};
  if (values.local.trim() === '') errors.local = 'Enter the part before the @.';
  if (values.domain === '') errors.domain = 'Choose a domain.';
  if (values.to.length === 0) errors.to = 'Enter at least one address.';
  if (values.subject.trim() === '') errors.subject = 'Enter a subject.';
  if (values.text === '' && values.html.trim() === '') errors.text = 'Enter a text or HTML body.';
  if (attachmentBytes(values.files) > ATTACHMENTS_LIMIT_BYTES)
    errors.files = 'Attachments can be up to 25 MB in total.';
  return errors;
}

function readBase64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
    reader.onerror = () => reject(new Error(`${file.name} couldn’t be read.`));
    reader.readAsDataURL(file);
  });
}
