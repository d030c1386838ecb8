import { z } from 'zod';

export const Health = z.object({ status: z.enum(['ok', 'down']) });
export type Health = z.infer<typeof Health>;

export const Version = z.object({
  version: z.string(),
  api_version: z.literal('v1'),
  commit: z.string().nullable().meta({ description: 'Git commit of the build; null if unknown' }),
});
export type Version = z.infer<typeof Version>;
