import { isAscii, isUtf8 } from 'node:buffer';
import { MAX_ADDRESS_LENGTH, parseAddress } from '@/lib/mail/address';
import { MESSAGE_ID, parseMessageId } from '@/lib/mail/message-id';
import { uuidv7 } from '@/lib/uuid';
import type { InboundMail } from '@/mail/inbound/port';
import { charsetIn, type MailHeader, readHeader as readMailHeader } from '@/mail/mime/message';
import { oneLine } from '@/mail/submission/smtp-reply';

/** The header fields that are stored and reported, and the header that they come from. */
export type Header = { messageId: string; from: string; subject: string; whole: MailHeader };

/**
 * Parses only the start of the header, so that the cost depends neither on the body nor on endless lists of recipients.
 * The body is read only for the charset of 8-bit characters that aren't UTF-8.
 */
export async function readHeader({
  header,
  mailFrom,
  resolved,
  read,
}: Pick<InboundMail, 'header' | 'mailFrom'> &
  Partial<Pick<InboundMail, 'read'>> & { resolved: { address: string }[] }): Promise<Header> {
  const start = header.subarray(0, MAX_HEADER_BYTES);
  const isUnclear = !isAscii(start) && !isUtf8(start);
  const charset = isUnclear && read ? charsetIn((await read()).subarray(0, MAX_HEADER_BYTES)) : null;
  const whole = readMailHeader(start, charset, MAX_FIELD_BYTES);
  const from = whole.addresses('from')[0]?.address ?? mailFrom;
  return {
    messageId: messageIdIn(whole.value('message-id') ?? '') ?? `<${uuidv7()}@${domainOf(resolved[0]?.address ?? '')}>`,
    from: parseAddress(from)?.address ?? oneLine(from).slice(0, MAX_ADDRESS_LENGTH).toWellFormed(),
    subject: oneLine(whole.value('subject') ?? ''),
    whole,
  };
}

// No legitimate header is longer.
const MAX_HEADER_BYTES = 128 * 1024;
// Decoding a field of nothing but encoded words takes milliseconds per kilobyte, on the main thread.
const MAX_FIELD_BYTES = 32 * 1024;

/** The first valid Message-ID in the text, or null. One without brackets gets them, so that it can be found. */
export function messageIdIn(text: string): string | null {
  return MESSAGE_ID.exec(text)?.[0] ?? parseMessageId(text);
}

export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}
