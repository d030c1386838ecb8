const PASSWORD_GROUPS = 5;
const GROUP_LENGTH = 4;
// Leaves out characters that are easily confused.
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';

/** Generates a password with 98 bits of entropy that is easy to read aloud and type. */
export function generatePassword(): string {
  const letters: string[] = [];
  while (letters.length < PASSWORD_GROUPS * GROUP_LENGTH) {
    // Rejects bytes that would bias the modulo.
    const unbiased = [...crypto.getRandomValues(new Uint8Array(32))].filter(
      (byte) => byte < 256 - (256 % ALPHABET.length),
    );
    letters.push(...unbiased.map((byte) => ALPHABET[byte % ALPHABET.length] as string));
  }
  const groups = Array.from({ length: PASSWORD_GROUPS }, (_, index) =>
    letters.slice(index * GROUP_LENGTH, (index + 1) * GROUP_LENGTH).join(''),
  );
  return groups.join('-');
}
