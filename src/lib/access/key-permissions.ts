/** The kinds of calls that a key may make: submitting messages, all that only reads, and every other change. */
export const KEY_PERMISSIONS = ['send', 'read', 'manage'] as const;
export type KeyPermission = (typeof KEY_PERMISSIONS)[number];

/** From here on, it is pointed out that a key expires. */
export const EXPIRES_SOON_DAYS = 14;

/** Tells whether an address is one of these addresses, or in one of these domains, such as @example.com. */
export function isAmongSenders(address: string, senders: readonly string[]): boolean {
  const lower = address.toLowerCase();
  return senders.some((sender) => (sender.startsWith('@') ? lower.endsWith(sender) : lower === sender));
}
