import { z } from 'zod';

const MAX_LIST_LENGTH = 63;
const LIST = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;

export const Unsubscribe = z
  .strictObject({
    list: z
      .string()
      .max(MAX_LIST_LENGTH, `Enter at most ${MAX_LIST_LENGTH} characters.`)
      .regex(LIST, 'Use lower-case letters, digits and hyphens, such as newsletter.')
      .meta({ description: 'The mailing list of the domain in from that the message belongs to' }),
    mailto: z.boolean().optional().meta({
      description:
        'Whether the header also has an address to unsubscribe by mail, for which the domain’s MX must be your server',
    }),
  })
  .meta({
    description:
      'Adds a link to unsubscribe to the header (RFC 8058), which mail programs show as a button. The message has one recipient. Recipients who unsubscribed from the list are left out',
  });
