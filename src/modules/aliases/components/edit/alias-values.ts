import { parseAddress } from '@/lib/address';
import type { Alias } from '../../schema';

export const MOST_DESTINATIONS = 10;

export function destinationsOf({ destination }: Pick<Alias, 'destination'>): string[] {
  return destination.split(',');
}

export function splitAddresses(text: string): string[] {
  return text.split(/[\s,;]+/).filter(Boolean);
}

/** Each address once, whatever its letter case. */
export function withMore(addresses: string[], more: string[]): string[] {
  const byKey = new Map([...addresses, ...more].map((address) => [address.toLowerCase(), address]));
  return [...byKey.values()];
}

export function isWrong(address: string): boolean {
  return parseAddress(address) === null;
}

/** The destinations of a form, with the one that is typed and not an entry yet. */
export function allOf({ destinations, draft }: { destinations: string[]; draft: string }): string[] {
  return withMore(destinations, splitAddresses(draft));
}

/** What is wrong with a list of destinations, in words for its field. */
export function destinationsFault(addresses: string[]): string | null {
  if (addresses.length === 0) return 'Enter at least one address.';
  if (addresses.length > MOST_DESTINATIONS) {
    return `At most ${MOST_DESTINATIONS} destinations; these are ${addresses.length}.`;
  }
  const wrong = addresses.find(isWrong);
  return wrong === undefined ? null : `${wrong} is not a plain address such as ann@example.com.`;
}

export function localPartFault(local: string): string | null {
  if (local.trim() === '') return 'Enter what stands before the @, or make it the catch-all.';
  return parseAddress(`${local.trim()}@a.example`) === null ? 'This is not a plain local part.' : null;
}

const isAbout = (warning: string, address: string) => warning.startsWith(`${address.toLowerCase()} `);

/** Warnings name the destination they are about; one that names none is about the alias itself. */
export function isShadowed(alias: Alias): boolean {
  return alias.warnings.some((warning) => !destinationsOf(alias).some((address) => isAbout(warning, address)));
}

export function losesMail(alias: Alias, address: string): boolean {
  return alias.warnings.some((warning) => isAbout(warning, address));
}
