import { z } from 'zod';
import { plainText } from '@/lib/wire';
import { TemplateValues } from '@/modules/templates/schema';

const MAX_ID_LENGTH = 100;

export const UsedTemplate = z
  .strictObject({
    id: plainText(MAX_ID_LENGTH)
      .min(1, 'Enter the ID or the name of a template.')
      .meta({ description: 'The ID or the name of a template of the domain in from' }),
    variables: TemplateValues.optional(),
  })
  .meta({
    description:
      'Makes the subject and the text from the published version of a template, instead of html_body and text_body. A subject in the request is used instead of the template’s',
  });
export type UsedTemplate = z.infer<typeof UsedTemplate>;
