import { z } from 'zod';
import { addressError, MAX_ADDRESS_LENGTH, MAX_RECIPIENTS, parseAddress } from '@/lib/mail/address';
import { ifOtherType } from '@/lib/texts/field-messages';
import { plainText } from '@/lib/wire';
import { boundedArray, isEmptyOr } from './checks';

const isAddress = isEmptyOr((text) => parseAddress(text) !== null);

const email = z.string().min(1, 'Enter an address.');
const emailMeta = { format: 'email', maxLength: MAX_ADDRESS_LENGTH, description: 'One plain address, local@domain' };

export const PlainEmail = email
  .refine(isAddress, { error: ({ input }) => addressError(input, 'Enter a plain address such as ann@example.com.') })
  .meta(emailMeta);

const name = plainText(256).optional().meta({ description: 'Display name' });

const noObject = ifOtherType('Enter an object such as {"email": "ann@example.com", "name": "Ann"}.');

export const Address = z
  .strictObject({ email: PlainEmail, name }, { error: noObject })
  .meta({ description: 'An address with an optional display name' });
export type Address = z.infer<typeof Address>;

export const Sender = z.strictObject(
  {
    email: email
      .refine(isAddress, {
        error: ({ input }) =>
          String(input).startsWith('@')
            ? 'Enter the part before the @.'
            : addressError(input, 'Enter a plain sender address such as ann@example.com.'),
        params: { apiCode: 'INVALID_SENDER' },
      })
      .meta(emailMeta),
    name,
  },
  { error: noObject },
);

export const Recipients = boundedArray(Address, MAX_RECIPIENTS);

/** Returns recipients without those whose address, in any letter case, is that of one before. */
export function distinctRecipients<Recipient extends { address: string }>(recipients: Recipient[]): Recipient[] {
  const found = new Map<string, Recipient>();
  for (const recipient of recipients) {
    const key = recipient.address.toLowerCase();
    if (!found.has(key)) found.set(key, recipient);
  }
  return [...found.values()];
}
