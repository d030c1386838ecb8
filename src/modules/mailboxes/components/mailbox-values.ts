import { parseAddress } from '@/lib/address';

const MEBIBYTE = 1024 * 1024;
const PASSWORD_GROUPS = 5;
const GROUP_LENGTH = 4;
// Without the letters and digits that are taken for each other.
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';

export function localPartFault(local: string): string | null {
  if (local.trim() === '') return 'Enter what stands before the @.';
  return parseAddress(`${local.trim()}@a.example`) === null ? 'This is not a plain local part.' : null;
}

export function toMegabytes(bytes: number | null): number | '' {
  return bytes === null ? '' : Math.round(bytes / MEBIBYTE);
}

export function toBytes(megabytes: number): number {
  return megabytes * MEBIBYTE;
}

/** A password of 98 bits that can be read out and typed. */
export function makePassword(): string {
  const letters: string[] = [];
  while (letters.length < PASSWORD_GROUPS * GROUP_LENGTH) {
    // Above this a remainder would come up more often than others.
    const fair = [...crypto.getRandomValues(new Uint8Array(32))].filter((byte) => byte < 256 - (256 % ALPHABET.length));
    letters.push(...fair.map((byte) => ALPHABET[byte % ALPHABET.length] as string));
  }
  const groups = Array.from({ length: PASSWORD_GROUPS }, (_, index) =>
    letters.slice(index * GROUP_LENGTH, (index + 1) * GROUP_LENGTH).join(''),
  );
  return groups.join('-');
}
