import { z } from 'zod';
import { plainText } from '@/lib/wire';

export const MAX_HEADER_VALUE_LENGTH = 998;

/** Fields of a message that become header fields of nearly the same name. Mail programs and services read them. */
export const standardHeaders = {
  feedback_id: text(
    'Groups messages in the reports of mail services about spam, such as campaign:customer:kind:sender for Gmail',
  ),
  importance: z
    .enum(['high', 'normal', 'low'])
    .optional()
    .meta({ description: 'Mail programs mark important messages' }),
  priority: z
    .enum(['urgent', 'normal', 'non-urgent'])
    .optional()
    .meta({ description: 'The header field Priority. It changes nothing about when the message is sent' }),
  sensitivity: z
    .enum(['personal', 'private', 'company-confidential'])
    .optional()
    .meta({ description: 'How confidential the message is, which some mail programs show' }),
  organization: text('The organization of the sender'),
  comments: text('Remarks about the message'),
  keywords: text('Words or phrases about the message, separated by commas'),
};

/** Their names in the header. */
export const STANDARD_HEADERS = [
  ['feedback_id', 'Feedback-ID'],
  ['importance', 'Importance'],
  ['priority', 'Priority'],
  ['sensitivity', 'Sensitivity'],
  ['organization', 'Organization'],
  ['comments', 'Comments'],
  ['keywords', 'Keywords'],
] as const satisfies [keyof typeof standardHeaders, string][];

function text(description: string) {
  return plainText(MAX_HEADER_VALUE_LENGTH).optional().meta({ description });
}
