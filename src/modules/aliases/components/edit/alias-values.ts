import type { Problem } from '@/components/api/problem';
import { parseAddress } from '@/lib/mail/address';
import type { Alias, AliasWarning } from '../../schema';

export function splitAddresses(text: string): string[] {
  return text.split(/[\s,;]+/).filter(Boolean);
}

/** Drops duplicates, ignoring letter case. */
export function mergeAddresses(addresses: string[], more: string[]): string[] {
  const byKey = new Map([...addresses, ...more].map((address) => [address.toLowerCase(), address]));
  return [...byKey.values()];
}

export function isInvalid(address: string): boolean {
  return parseAddress(address) === null;
}

/** The warning that a mailbox has the alias's address. */
export function shadowWarning({ warnings }: Alias): AliasWarning | undefined {
  return warnings.find(({ code }) => code === 'shadowed_by_mailbox');
}

/** The address in `destination` that the server rejected, in lower case. */
export function rejectedAddressOf(failure: Problem | null): string | null {
  const address = failure?.details.address;
  return typeof address === 'string' ? address : null;
}
