import { BOUNCE_LOCAL_PART } from '@/lib/mail/report-addresses';
import { isShortMac, shortMac } from '@/server/secrets/crypto';

const PURPOSE = 'bounce address';
// The local part has 60 of the 64 characters that RFC 5321 allows.
const MAC_DIGITS = 20;

/** The envelope sender of a message: what comes back to it is about the message (decision 15). */
export function bounceAddress(messageId: string, domain: string): string {
  const id = messageId.replaceAll('-', '');
  return `bounces+${id}${shortMac(PURPOSE, id, MAC_DIGITS)}@${domain}`;
}

/** Returns the id of the message that a bounce address is of; null if it is no bounce address, or its signature is invalid. */
export function messageOfBounceAddress(address: string): string | null {
  const [, id, mac] =
    BOUNCE_LOCAL_PART.exec(address.slice(0, Math.max(0, address.lastIndexOf('@'))).toLowerCase()) ?? [];
  if (!id || !mac || !isShortMac(PURPOSE, id, mac)) return null;
  return id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
