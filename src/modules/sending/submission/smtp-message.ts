import { setImmediate } from 'node:timers/promises';
import { parseAddress } from '@/lib/mail/address';
import { headerEnd } from '@/lib/mail/header-end';
import { MESSAGE_ID } from '@/lib/mail/message-id';
import { type MailHeader, readHeader } from '@/mail/mime/message';
import { oneLine } from '@/mail/submission/smtp-reply';
import { LABEL_FIELD, readLabelFields } from '@/server/label-fields';
import { newMessageId } from '../composing/compose';
import type { PreparedMessage } from '../composing/message-jobs';
import { distinctRecipients } from '../fields/addresses';

/** RFC 5322, 2.1.1. */
const MAX_LINE = 998;
/** As much as is read of the header of received mail. */
const MAX_HEADER_KB = 128;
/** How much is read in one turn of the event loop, which takes a few milliseconds. */
const SLICE_BYTES = 1024 * 1024;
const [CR, LF] = [0x0d, 0x0a];
/** Postfix removes these fields of mail that is submitted. */
const REMOVED = /^(?:bcc|resent-bcc|return-path|content-length)[ \t]*:/i;
const FIELD = /^[^\s:]+[ \t]*:/;
/** Other fields that mail programs show as the sender, or as who sent it on. */
const OTHER_SENDERS = ['sender', 'resent-from', 'resent-sender'];

/**
 * Returns a message that a key submits by SMTP, as it is sent: with a Message-ID and a date if it has none, without Bcc, and with its labels
 * as the API has them. The mail server checks the same in rspamd.local.lua.
 * @returns or the SMTP reply that refuses it
 */
export async function messageBySmtp(
  { sender, recipients, raw }: { sender: string; recipients: string[]; raw: Buffer },
  at: Date,
): Promise<PreparedMessage | { refusal: string }> {
  const from = parseAddress(sender);
  if (!from) throw new TypeError('the sender of the session is an address');
  const text = await withCrLf(raw);
  if (!text) {
    return refuse(`A line is longer than ${MAX_LINE} characters: send the text as quoted-printable or base64`);
  }
  const start = text.subarray(0, MAX_HEADER_KB * 1024);
  const end = headerEnd(start) ?? (start.length < text.length ? null : text.length);
  if (end === null) return refuse(`The header is larger than ${MAX_HEADER_KB} KB`);
  const header = readHeader(text.subarray(0, end));
  if (!isOnly(header, 'from', from.address)) return refuse('From must be the envelope sender');
  const isOwn = (name: string) => header.value(name) === null || isOnly(header, name, from.address);
  if (!OTHER_SENDERS.every(isOwn)) return refuse('Sender and Resent-From must be the envelope sender');
  const valuesOf = (name: string) =>
    header.fields().flatMap((field) => (field.name.toLowerCase() === name ? [field.value] : []));
  const { tags, metadata, problems } = readLabelFields({
    tags: valuesOf('x-postroom-tags'),
    metadata: valuesOf('x-postroom-metadata'),
  });
  if (problems[0]) return refuse(problems[0]);
  const given = header.value('message-id')?.trim() ?? '';
  const messageId = MESSAGE_ID.exec(given)?.[0] === given ? given : newMessageId(from.domain);
  const added = [
    ...(messageId === given ? [] : [`Message-ID: ${messageId}`]),
    ...(header.value('date') === null ? [`Date: ${at.toUTCString().replace('GMT', '+0000')}`] : []),
  ];
  const isDropped = (line: string) =>
    REMOVED.test(line) || LABEL_FIELD.test(line) || (messageId !== given && /^message-id[ \t]*:/i.test(line));
  const lines = [...added, ...keptLines(text.toString('latin1', 0, end), isDropped)];
  const newHeader = Buffer.from(`${lines.join('\r\n')}\r\n`, 'latin1');
  const rest = text.subarray(end + 2);
  const whole = new Uint8Array(newHeader.length + rest.length);
  whole.set(newHeader);
  whole.set(rest, newHeader.length);
  const distinct = distinctRecipients(recipients.map((address) => ({ address, kind: 'to' as const })));
  return {
    from: from.address,
    recipients: distinct,
    subject: oneLine(header.value('subject') ?? ''),
    messageId,
    tags,
    metadata,
    raw: whole,
    envelope: { from: from.address, to: distinct.map(({ address }) => address) },
  };
}

function isOnly(header: MailHeader, name: string, address: string): boolean {
  const found = header.addresses(name);
  return found.length === 1 && found[0]?.address.toLowerCase() === address.toLowerCase();
}

function refuse(reason: string): { refusal: string } {
  return { refusal: `554 5.7.1 ${reason}` };
}

function keptLines(header: string, isDropped: (line: string) => boolean): string[] {
  let isKept = true;
  return header.split('\r\n').filter((line) => {
    if (FIELD.test(line)) isKept = !isDropped(line);
    return isKept;
  });
}

/** Returns the text with the line ends of SMTP, which Postfix normalizes as well; null if a line is too long. */
async function withCrLf(raw: Buffer): Promise<Buffer | null> {
  let [lineFeeds, lineLength, before] = [0, 0, 0];
  for (let start = 0; start < raw.length; start += SLICE_BYTES) {
    for (const byte of raw.subarray(start, start + SLICE_BYTES)) {
      if (byte !== LF) lineLength += 1;
      else if (lineLength - (before === CR ? 1 : 0) > MAX_LINE) return null;
      else {
        if (before !== CR) lineFeeds += 1;
        lineLength = 0;
      }
      before = byte;
    }
    await setImmediate();
  }
  if (lineLength > MAX_LINE) return null;
  return lineFeeds === 0 ? raw : addCarriageReturns(raw, raw.length + lineFeeds);
}

async function addCarriageReturns(raw: Buffer, length: number): Promise<Buffer> {
  const text = Buffer.allocUnsafeSlow(length);
  let [at, before] = [0, 0];
  for (let start = 0; start < raw.length; start += SLICE_BYTES) {
    for (const byte of raw.subarray(start, start + SLICE_BYTES)) {
      if (byte === LF && before !== CR) text[at++] = CR;
      text[at++] = byte;
      before = byte;
    }
    await setImmediate();
  }
  return text;
}
