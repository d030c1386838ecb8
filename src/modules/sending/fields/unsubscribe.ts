import { z } from 'zod';
import { LIST_NAME, LIST_NAME_ERROR } from '@/lib/mail/suppression';

export const Unsubscribe = z
  .strictObject({
    list: z
      .string()
      .regex(LIST_NAME, LIST_NAME_ERROR)
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
