import { parseAddress } from '@/lib/address';
import { splitDestinations } from '@/lib/destinations';
import type { Alias, AliasWarning } from '../../schema';

export const MAX_DESTINATIONS = 10;

export function destinationsOf({ destination }: Pick<Alias, 'destination'>): string[] {
  return splitDestinations(destination);
}

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

/** A form's destinations, including the address still being typed. */
export function allDestinations({ destinations, draft }: { destinations: string[]; draft: string }): string[] {
  return mergeAddresses(destinations, splitAddresses(draft));
}

export function destinationsError(addresses: string[]): string | null {
  if (addresses.length === 0) return 'Enter at least one destination.';
  if (addresses.length > MAX_DESTINATIONS) {
    return `Enter at most ${MAX_DESTINATIONS} destinations. You entered ${addresses.length}.`;
  }
  const invalid = addresses.find(isInvalid);
  return invalid === undefined ? null : `${invalid} is not a valid email address. Use the form ann@example.com.`;
}

export function localPartError(local: string): string | null {
  if (local.trim() === '') return 'Enter the part before the @, or select Catch-all.';
  return parseAddress(`${local.trim()}@a.example`) === null
    ? 'Enter only the part before the @, without spaces or quotes.'
    : null;
}

/** The warning that a mailbox has the alias's address. */
export function shadowWarning({ warnings }: Alias): AliasWarning | undefined {
  return warnings.find(({ code }) => code === 'shadowed_by_mailbox');
}

export function destinationWarning({ warnings }: Alias, address: string): AliasWarning | undefined {
  return warnings.find(({ destination }) => destination === address.toLowerCase());
}
