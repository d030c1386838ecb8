import { z } from 'zod';
import { MAX_ADDRESS_LENGTH, parseAddress } from '@/lib/mail/address';
import { plainText } from '@/lib/wire';
import { boundedArray, isEmptyOr } from './checks';

/** Recipients of one message in to, cc and bcc together. */
export const MAX_RECIPIENTS = 100;

const isAddress = isEmptyOr((text) => parseAddress(text) !== null);

const email = z.string().min(1, 'Enter an address.');
const emailMeta = { format: 'email', maxLength: MAX_ADDRESS_LENGTH, description: 'One plain address, local@domain' };

const name = plainText(256).optional().meta({ description: 'Display name' });

export const Address = z
  .strictObject({
    email: email.refine(isAddress, 'Enter a plain address such as ann@example.com.').meta(emailMeta),
    name,
  })
  .meta({ description: 'An address with an optional display name' });
export type Address = z.infer<typeof Address>;

export const Sender = z.strictObject({
  email: email
    .refine(isAddress, {
      error: ({ input }) =>
        String(input).startsWith('@')
          ? 'Enter the part before the @.'
          : 'Enter a plain sender address such as ann@example.com.',
      params: { apiCode: 'INVALID_SENDER' },
    })
    .meta(emailMeta),
  name,
});

export const Recipient = email.refine(isAddress, 'Enter a plain address such as ann@example.com.').meta(emailMeta);

export const Recipients = boundedArray(Address, MAX_RECIPIENTS);
