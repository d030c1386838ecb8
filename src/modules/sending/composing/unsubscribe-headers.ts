import { parseAddress } from '@/lib/mail/address';
import { UNSUBSCRIBE_LOCAL_PART } from '@/lib/mail/report-addresses';
import { unsubscribeToken } from '@/server/secrets/unsubscribe-token';
import { env } from '@/server/settings/env';
import type { OutgoingMessage } from '../schema';
import { verbatimHeader } from './header-text';

/** The fields by which mail programs offer to unsubscribe (RFC 2369, 2919, 8058), each on one line. */
export function unsubscribeHeaders(message: OutgoingMessage, messageId: string): string[] {
  const { unsubscribe, to, cc = [], bcc = [], from } = message;
  if (!unsubscribe) return [];
  const domain = parseAddress(from.email)?.domain;
  const email = parseAddress([...to, ...cc, ...bcc][0]?.email)?.address;
  if (!domain || !email) throw new TypeError('unsubscribeHeaders requires a checked message');
  const { list, url, mailto } = unsubscribe;
  const links = url ? `<${url}>` : ownLinks(unsubscribeToken({ messageId, email, list }), mailto ? domain : null);
  return [
    verbatimHeader('List-Id', `<${list}.${domain}>`),
    verbatimHeader('List-Unsubscribe', links),
    verbatimHeader('List-Unsubscribe-Post', 'List-Unsubscribe=One-Click'),
  ];
}

function ownLinks(token: string, mailDomain: string | null): string {
  const link = `<${env().appUrl}/unsubscribe/${token}>`;
  // Mail programs fill in the subject.
  return mailDomain ? `${link}, <mailto:${UNSUBSCRIBE_LOCAL_PART}@${mailDomain}?subject=${token}>` : link;
}
