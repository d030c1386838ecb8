/** Returns recipients without those whose address, in any letter case, is that of one before. */
export function distinctRecipients<Recipient extends { address: string }>(recipients: Recipient[]): Recipient[] {
  const found = new Map<string, Recipient>();
  for (const recipient of recipients) {
    const key = recipient.address.toLowerCase();
    if (!found.has(key)) found.set(key, recipient);
  }
  return [...found.values()];
}
