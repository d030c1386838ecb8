import { headerEnd } from '@/lib/mail/header-end';
import type { MessageCopies } from '@/mail/agent/message-copies';
import type { InboundMail, SpamVerdict } from '@/mail/inbound/port';
import { oneLine } from '@/mail/submission/smtp-reply';
import { metaOf } from '../filter-meta';
import type { LoggedMail } from '../logged-mail';

type Known = Pick<LoggedMail, 'messageId' | 'mailFrom' | 'verdict'> & { raw: Uint8Array | null };

type Content = Pick<InboundMail, 'header' | 'read' | 'readWhole'>;

/** The content as the filter saw it, else as `fetch` reads it from the mailbox, else a header built from known fields. */
export async function contentOf(
  known: Known,
  fetch: (part: Parameters<MessageCopies['fetch']>[2]) => Promise<Uint8Array | null>,
): Promise<Content> {
  const { raw } = known;
  if (raw && metaOf(known)?.is_whole !== false) {
    // A copy for each reader, because parsing and storing take the bytes from this thread.
    return { header: headerOf(raw).slice(), read: async () => raw.slice() };
  }
  const header = raw ? headerOf(raw) : ((await fetch('hdr')) ?? headerFrom(known));
  return { header, read: async () => (await fetch('text')) ?? header, readWhole: () => fetch('text') };
}

/** The header as far as it is known without reading the mailbox. */
export function knownHeader(known: Known): Uint8Array {
  return known.raw ? headerOf(known.raw) : headerFrom(known);
}

function headerOf(raw: Uint8Array): Uint8Array {
  const text = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const end = headerEnd(text);
  return end === null ? raw : raw.subarray(0, end + 2);
}

function headerFrom(known: Known): Uint8Array {
  const { messageId, mailFrom } = known;
  const meta = metaOf(known);
  const fields = [
    messageId && `Message-ID: ${oneLine(messageId)}`,
    `From: <${oneLine(mailFrom ?? meta?.from ?? '')}>`,
    meta && `Subject: ${oneLine(meta.subject)}`,
  ];
  return new TextEncoder().encode(`${fields.filter(Boolean).join('\r\n')}\r\n`);
}

/** The verdict that Rspamd added to the header of incoming mail. */
export function verdictIn(header: Uint8Array): SpamVerdict | null {
  const text = Buffer.from(header.buffer, header.byteOffset, header.byteLength).toString('latin1');
  const [, score] = /^X-Spamd-Result: default: \S+ \[(-?\d+(?:\.\d+)?) \//im.exec(text) ?? [];
  if (score === undefined) return null;
  return { score: Number(score), action: /^X-Spam: Yes/im.test(text) ? 'add header' : 'no action' };
}
