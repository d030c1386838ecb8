import { sealBytes, unsealBytes } from './sealing';

/** The content of an unsubscribe link's token. The message may have been deleted since. */
export type Subscription = {
  /** The Message-ID, including the angle brackets. It ends with the domain whose list it is. */
  messageId: string;
  email: string;
  list: string;
};

const PLACE = 'unsubscribe';
const MAX_LENGTH = 2_000;

/** A sealed token, which only this instance can make and read. It is valid as long as its key is in SECRET_KEY. */
export function unsubscribeToken({ messageId, email, list }: Subscription): string {
  const text = JSON.stringify([messageId, email, list]);
  return Buffer.from(sealBytes(PLACE, [Buffer.from(text)])).toString('base64url');
}

/** Returns null for anything that is no token. */
export function subscriptionOf(token: string): Subscription | null {
  if (token.length > MAX_LENGTH || !/^[\w-]+$/.test(token)) return null;
  try {
    const text = unsealBytes(PLACE, Buffer.from(token, 'base64url')).toString('utf8');
    const [messageId, email, list] = JSON.parse(text) as string[];
    return messageId && email && list ? { messageId, email, list } : null;
  } catch {
    return null;
  }
}
