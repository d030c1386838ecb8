import { z } from 'zod';
import { LIST_NAME, LIST_NAME_ERROR } from '@/lib/mail/suppression';

/** The longest link that a line of the header has room for. */
const MAX_URL_LENGTH = 900;

export const Unsubscribe = z
  .strictObject({
    list: z
      .string()
      .regex(LIST_NAME, LIST_NAME_ERROR)
      .meta({ description: 'The mailing list of the domain in from that the message belongs to' }),
    url: z
      .string()
      .max(MAX_URL_LENGTH)
      .refine(isLink, 'Enter a link that starts with https://, of ASCII characters without spaces and < or >.')
      .optional()
      .meta({
        format: 'uri',
        description:
          'A link of yours in place of Postroom’s. A POST to it unsubscribes the recipient at once (RFC 8058)',
      }),
    mailto: z.boolean().optional().meta({
      description:
        'Whether the header also has an address to unsubscribe by mail, for which the domain’s MX must be your server',
    }),
  })
  .refine(({ url, mailto }) => url === undefined || !mailto, {
    path: ['mailto'],
    error: 'Leave this out: with a url, Postroom unsubscribes nobody.',
  })
  .meta({
    description:
      'Adds a link to unsubscribe to the header (RFC 8058), which mail programs show as a button. The message has one recipient. Recipients who unsubscribed from the list are left out',
  });

function isLink(text: string): boolean {
  return /^https:\/\/[\x21-\x3b=\x3f-\x7e]+$/.test(text) && URL.canParse(text);
}
