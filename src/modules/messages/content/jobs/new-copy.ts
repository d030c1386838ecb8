import { headerEnd } from '@/lib/mail/header-end';

const REPLACED =
  /^(?:message-id|date|bcc|return-path|received|dkim-signature|resent-[\w-]+|list-unsubscribe(?:-post)?):/i;
const FIELD = /^[^\s:]+:/;

/** The message with a new Message-ID and Date, and without fields that belong to its first submission, such as its recipient's link to unsubscribe. */
export function newCopyOf(raw: Uint8Array, messageId: string, date: Date): Uint8Array {
  const text = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const end = headerEnd(text) ?? text.byteLength;
  const kept: string[] = [];
  let isKept = true;
  for (const line of text.subarray(0, end).toString('latin1').split(/\r?\n/)) {
    if (FIELD.test(line)) isKept = !REPLACED.test(line);
    if (isKept && line !== '') kept.push(line);
  }
  const header = [`Message-ID: ${messageId}`, `Date: ${dateText(date)}`, ...kept, '', ''].join('\r\n');
  return new Uint8Array(Buffer.concat([Buffer.from(header, 'latin1'), text.subarray(bodyStart(text, end))]));
}

function bodyStart(text: Buffer, end: number): number {
  if (end === text.byteLength) return end;
  return end + (text[end] === 0x0d ? 4 : 2);
}

function dateText(date: Date): string {
  return date.toUTCString().replace('GMT', '+0000');
}
