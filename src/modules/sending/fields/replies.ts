import { z } from 'zod';
import { isObject } from '@/lib/json-values';
import { MAX_MESSAGE_ID_LENGTH, parseMessageId } from '@/lib/mail/message-id';
import { Address, Recipients } from './addresses';
import { boundedArray } from './checks';

/** The number of IDs of the greatest length that the mail server accepts in one header. */
const MAX_REFERENCES = 100;

const MessageId = z
  .string()
  .refine(
    (text) => parseMessageId(text) !== null,
    `Enter one Message-ID such as <01a1f@shop.example>, of at most ${MAX_MESSAGE_ID_LENGTH} ASCII characters without spaces.`,
  );

export const InReplyTo = MessageId.meta({
  description: 'Message-ID of the message that this one answers. The angle brackets may be left out if it has an @',
});

export const References = boundedArray(MessageId, MAX_REFERENCES).meta({
  description: 'Message-IDs of the conversation, the oldest first. By default, in_reply_to alone',
});

// A union says what is wrong with the value as a whole only, so that the option of its kind is checked first.
export const ReplyTo = z
  .preprocess(
    (raw, ctx) => {
      const isList = Array.isArray(raw);
      if (!isList && !isObject(raw))
        ctx.addIssue({ code: 'custom', message: 'Enter an address object, or a list of them.' });
      else
        for (const issue of (isList ? Recipients : Address).safeParse(raw).error?.issues ?? [])
          ctx.addIssue({ ...issue });
      return raw;
    },
    z.union([Address, Recipients]),
  )
  .meta({ description: 'Where replies go instead of from: one address, or a list' });

export const AutoSubmitted = z.enum(['auto-generated', 'auto-replied']).meta({
  description: 'Says that a program wrote the message, which keeps away messages and other automatic replies from it',
});
