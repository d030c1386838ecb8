import { z } from 'zod';
import { Empty } from '@/lib/wire';
import { authedProcedure, router } from '@/server/trpc';
import { isMailServerAttached } from './service';

/** For the console, which says so where something needs the mail server. */
export const mailServerRouter = router({
  get: authedProcedure(Empty)
    .meta({ isOpenToScopedKeys: true })
    .output(z.object({ is_attached: z.boolean() }))
    .query(async ({ ctx }) => ({ is_attached: await isMailServerAttached(ctx.db) })),
});
