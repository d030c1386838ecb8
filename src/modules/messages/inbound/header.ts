import PostalMime, { type Email } from 'postal-mime';
import { MAX_ADDRESS_LENGTH, parseAddress } from '@/lib/mail/address';
import { uuidv7 } from '@/lib/uuid';
import type { InboundMail } from '@/mail/inbound/port';
import { oneLine } from '@/mail/submission/smtp-reply';

/** The header fields that are stored and reported; `parsed` is null if the header cannot be parsed. */
export type Header = { messageId: string; from: string; subject: string; parsed: Email | null };

// Parses only the start of the header, so that the cost depends neither on the body nor on endless lists of recipients.
export async function readHeader({
  header,
  mailFrom,
  resolved,
}: Pick<InboundMail, 'header' | 'mailFrom'> & { resolved: { address: string }[] }): Promise<Header> {
  const start = header.subarray(0, MAX_HEADER_BYTES);
  const parsed = await PostalMime.parse(start, { maxHeadersSize: start.byteLength + 1 }).catch(() => null);
  const from = parsed?.from?.address || parsed?.from?.group?.[0]?.address || mailFrom;
  return {
    messageId: messageIdIn(parsed?.messageId ?? '') ?? `<${uuidv7()}@${domainOf(resolved[0]?.address ?? '')}>`,
    from: parseAddress(from)?.address ?? oneLine(from).slice(0, MAX_ADDRESS_LENGTH).toWellFormed(),
    subject: oneLine(parsed?.subject ?? ''),
    parsed,
  };
}

// No legitimate header is longer.
const MAX_HEADER_BYTES = 128 * 1024;

/** The first valid Message-ID in the text, or null. */
export function messageIdIn(text: string): string | null {
  return MESSAGE_ID.exec(text)?.[0] ?? null;
}

export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}

// ASCII only: the column is indexed, and the size of an index entry is limited in bytes.
const MESSAGE_ID = /<[\x21-\x3b\x3d\x3f-\x7e]{1,996}>/;
