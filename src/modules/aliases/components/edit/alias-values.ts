import { parseAddress } from '@/lib/address';
import type { Alias } from '../../schema';

export const MAX_DESTINATIONS = 10;

export function destinationsOf({ destination }: Pick<Alias, 'destination'>): string[] {
  return destination.split(',');
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

const isAbout = (warning: string, address: string) => warning.startsWith(`${address.toLowerCase()} `);

/** A warning that names no destination is about the alias itself: a mailbox has the same address. */
export function isShadowed(alias: Alias): boolean {
  return alias.warnings.some((warning) => !destinationsOf(alias).some((address) => isAbout(warning, address)));
}

export function isUndeliverable(alias: Alias, address: string): boolean {
  return alias.warnings.some((warning) => isAbout(warning, address));
}
