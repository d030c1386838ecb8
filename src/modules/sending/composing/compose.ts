import MailComposer from 'nodemailer/lib/mail-composer';
import type MimeNode from 'nodemailer/lib/mime-node';
import { parseAddress } from '@/lib/mail/address';
import { parseContentId } from '@/lib/mail/content-id';
import { parseMessageId } from '@/lib/mail/message-id';
import { uuidv7 } from '@/lib/uuid';
import { readStructured } from '@/mail/mime/parameters';
import { type Address, distinctRecipients } from '../fields/addresses';
import { type Attachment, isMessage } from '../fields/attachments';
import { STANDARD_HEADERS } from '../fields/standard-headers';
import type { OutgoingMessage } from '../schema';
import { addressHeader, idsHeader, textHeader, verbatimHeader } from './header-text';
import { mimeText } from './mime-text';
import { unsubscribeHeaders } from './unsubscribe-headers';

export type ComposedMessage = {
  raw: Buffer;
  sizeBytes: number;
  envelope: { from: string; to: string[] };
};

/**
 * Composes a checked message as RFC 5322 text (ASCII, CRLF) with its envelope. The envelope has each recipient once;
 * Bcc recipients appear only there. `messageId` includes its angle brackets.
 */
export function composeMessage(
  message: OutgoingMessage,
  { messageId, date }: { messageId: string; date: Date },
): ComposedMessage {
  const from = mailbox(message.from);
  const to = message.to.map(mailbox);
  const cc = (message.cc ?? []).map(mailbox);
  const bcc = (message.bcc ?? []).map(mailbox);
  const replyTo = [message.reply_to ?? []].flat().map(mailbox);
  const headers = [
    addressHeader('From', [from]),
    addressHeader('To', to),
    cc.length > 0 ? addressHeader('Cc', cc) : '',
    replyTo.length > 0 ? addressHeader('Reply-To', replyTo) : '',
    ...threadHeaders(message),
    message.auto_submitted ? verbatimHeader('Auto-Submitted', message.auto_submitted) : '',
    textHeader('Subject', message.subject ?? ''),
    ...unsubscribeHeaders(message, messageId),
    ...STANDARD_HEADERS.map(([field, name]) => (message[field] ? verbatimHeader(name, message[field]) : '')),
    ...Object.entries(message.headers ?? {}).map(([name, value]) => verbatimHeader(name, value)),
  ];
  const raw = Buffer.concat([Buffer.from(headers.join(''), 'ascii'), composeBody(message, messageId, date)]);
  const recipients = distinctRecipients([...to, ...cc, ...bcc].map(({ email: address }) => ({ address })));
  return { raw, sizeBytes: raw.length, envelope: { from: from.email, to: recipients.map(({ address }) => address) } };
}

/** Readers find the conversation by References, so it has at least the message that is answered (RFC 5322, 3.6.4). */
function threadHeaders({ in_reply_to, references = [] }: OutgoingMessage): string[] {
  const answered = (in_reply_to === undefined ? [] : [in_reply_to]).map(messageIdOf);
  const conversation = references.length > 0 ? references.map(messageIdOf) : answered;
  return [idsHeader('In-Reply-To', answered), idsHeader('References', conversation)];
}

function messageIdOf(text: string): string {
  return requireChecked(parseMessageId(text));
}

/** A new Message-ID under the domain, with angle brackets. Later ids sort after earlier ones. */
export function newMessageId(domain: string): string {
  return `<${uuidv7()}@${domain}>`;
}

// Nodemailer reads `path` and `href` from its input (docs/contributing/security-rules.md 3), so it gets only new strings and buffers,
// with file and URL access disabled.
function composeBody(message: OutgoingMessage, messageId: string, date: Date): Buffer {
  const composer = new MailComposer({
    messageId,
    date,
    text: bodyText(message.text_body),
    html: bodyText(message.html_body),
    ...withInvitation((message.attachments ?? []).map(attachmentPart)),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const root = composer.compile();
  unfoldContentIds(root);
  return mimeText(root);
}

/** Some readers take the space of a fold for a part of the Content-ID. */
function unfoldContentIds(node: MimeNode): void {
  const value = node.getHeader('Content-ID');
  if (value) node.setHeader('Content-ID', { prepared: true, value });
  for (const child of node.childNodes) unfoldContentIds(child);
}

function mailbox({ name, email }: Address): Address {
  return { name, email: requireChecked(parseAddress(email)).address };
}

// Mail text uses CRLF (RFC 2046, 4.1.1). The template literal guarantees a string.
function bodyText(text: string | undefined): string | undefined {
  return text ? `${text}`.replace(/\r\n|\r|\n/g, '\r\n') : undefined;
}

function attachmentPart({ filename, content_type, content, content_id, disposition }: Attachment) {
  const id = content_id === undefined ? null : requireChecked(parseContentId(content_id));
  const contentDisposition = disposition ?? (id === null ? 'attachment' : 'inline');
  return {
    filename,
    ...encoded(content_type, Buffer.from(content, 'base64')),
    contentDisposition,
    ...(id !== null && identified(id, contentDisposition)),
  };
}

/**
 * A message may not be encoded (RFC 2046, 5.2.1): it is sent as it is, with the line ends of mail, if it has only short lines of ASCII,
 * and else as a file of no special type, which mail programs open by its name.
 */
function encoded(contentType: string, file: Buffer) {
  const asBase64 = { content: file, contentTransferEncoding: 'base64' };
  if (!isMessage(contentType)) return { contentType, ...asBase64 };
  const content = Buffer.from(bodyText(file.toString('latin1')) ?? '', 'latin1');
  return isSevenBit(content)
    ? { contentType: 'message/rfc822', content, contentTransferEncoding: '7bit' }
    : { contentType: 'application/octet-stream', ...asBase64 };
}

function isSevenBit(content: Buffer): boolean {
  const text = content.toString('latin1');
  return text.split('\r\n').every((line) => line.length <= MAX_LINE_LENGTH && /^[\x01-\x7f]*$/.test(line));
}

const MAX_LINE_LENGTH = 998;

/**
 * Repeats the first invitation as another form of the text: mail programs show buttons for it only there. The file gets a type
 * for which they show none, or some would show the invitation twice.
 */
function withInvitation(attachments: ReturnType<typeof attachmentPart>[]) {
  const types = attachments.map(({ contentType }) => invitationType(contentType));
  const index = types.findIndex((type) => type !== null);
  const [contentType, invitation] = [types[index], attachments[index]];
  if (!contentType || !invitation) return { attachments };
  const { content, contentTransferEncoding } = invitation;
  return {
    attachments: attachments.with(index, { ...invitation, contentType: 'application/ics' }),
    alternatives: [{ contentType, content, contentTransferEncoding }],
  };
}

/** The type of a calendar file with a method (RFC 5546), null for others. iCalendar is UTF-8 unless it says otherwise. */
function invitationType(contentType: string): string | null {
  const { value, parameter } = readStructured(contentType);
  const [method, charset] = [parameter('method'), parameter('charset')];
  if (value !== 'text/calendar' || !method || !TOKEN.test(method)) return null;
  return `text/calendar; charset=${charset && TOKEN.test(charset) ? charset : 'utf-8'}; method=${method.toUpperCase()}`;
}

const TOKEN = /^[\w.+-]+$/;

/** Readers don't list files that are related to the HTML (`cid`), even if they are declared as attachments. */
function identified(id: string, disposition: string) {
  return disposition === 'inline' ? { cid: id } : { headers: { 'Content-ID': `<${id}>` } };
}

function requireChecked<Value>(value: Value | null): Value {
  if (value === null) throw new TypeError('composeMessage requires a checked message');
  return value;
}
