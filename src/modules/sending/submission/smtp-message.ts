import { parseAddress } from '@/lib/mail/address';
import { headerEnd } from '@/lib/mail/header-end';
import { type MailHeader, readHeader } from '@/mail/mime/message';
import { oneLine } from '@/mail/submission/smtp-reply';
import { newMessageId } from '../composing/compose';
import type { PreparedMessage } from '../composing/message-jobs';

/** RFC 5322, 2.1.1. */
const MAX_LINE = 998;
/** Postfix removes these fields of mail that is submitted. */
const REMOVED = /^(?:bcc|resent-bcc|return-path|content-length):/i;
const FIELD = /^[^\s:]+:/;
/** Other fields that mail programs show as the sender, or as who sent it on. */
const OTHER_SENDERS = ['sender', 'resent-from', 'resent-sender'];
const MESSAGE_ID = /^<[\x21-\x3b\x3d\x3f-\x7e]{1,996}>$/;

/**
 * Returns a message that a key submits by SMTP, as it is sent: with a Message-ID and a date if it has none, and without Bcc. The mail
 * server checks the same in rspamd.local.lua.
 * @returns or the SMTP reply that refuses it
 */
export function messageBySmtp(
  { sender, recipients, raw }: { sender: string; recipients: string[]; raw: Buffer },
  at: Date,
): PreparedMessage | { refusal: string } {
  const from = parseAddress(sender);
  if (!from) throw new TypeError('the sender of the session is an address');
  const text = withCrLf(raw);
  if (hasLongLine(text)) {
    return refuse(`A line is longer than ${MAX_LINE} characters: send the text as quoted-printable or base64`);
  }
  const end = headerEnd(text) ?? text.length;
  const header = readHeader(text.subarray(0, end));
  if (!isOnly(header, 'from', from.address)) return refuse('From must be the envelope sender');
  const isOwn = (name: string) => header.value(name) === null || isOnly(header, name, from.address);
  if (!OTHER_SENDERS.every(isOwn)) return refuse('Sender and Resent-From must be the envelope sender');
  const given = header.value('message-id')?.trim() ?? '';
  const messageId = MESSAGE_ID.test(given) ? given : newMessageId(from.domain);
  const added = [
    ...(messageId === given ? [] : [`Message-ID: ${messageId}`]),
    ...(header.value('date') === null ? [`Date: ${at.toUTCString().replace('GMT', '+0000')}`] : []),
  ];
  const isDropped = (line: string) => REMOVED.test(line) || (messageId !== given && /^message-id:/i.test(line));
  const lines = [...added, ...keptLines(text.toString('latin1', 0, end), isDropped)];
  const whole = Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n`, 'latin1'), text.subarray(end + 2)]);
  const addresses = [...new Set(recipients)];
  return {
    from: from.address,
    recipients: addresses.map((address) => ({ address, kind: 'to' })),
    subject: oneLine(header.value('subject') ?? ''),
    messageId,
    raw: new Uint8Array(whole),
    envelope: { from: from.address, to: addresses },
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

/** Postfix normalizes line ends as well. */
function withCrLf(raw: Buffer): Buffer {
  for (let at = raw.indexOf(0x0a); at >= 0; at = raw.indexOf(0x0a, at + 1)) {
    if (raw[at - 1] !== 0x0d) return Buffer.from(raw.toString('latin1').replace(/\r?\n/g, '\r\n'), 'latin1');
  }
  return raw;
}

function hasLongLine(text: Buffer): boolean {
  let start = 0;
  for (;;) {
    const end = text.indexOf('\r\n', start);
    if ((end < 0 ? text.length : end) - start > MAX_LINE) return true;
    if (end < 0) return false;
    start = end + 2;
  }
}
