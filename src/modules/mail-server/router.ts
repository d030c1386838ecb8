import { z } from 'zod';
import { Empty } from '@/lib/wire';
import { authedProcedure, router } from '@/server/procedures/trpc';
import { MailServerState } from './schema';
import { mailServerState } from './service';

/** For pages of the console that need the mail server. */
export const mailServerRouter = router({
  get: authedProcedure(Empty)
    .meta({ isOpenToScopedKeys: true, isReadOnPrimary: true })
    .output(z.object({ state: MailServerState }))
    .query(async ({ ctx }) => ({ state: await mailServerState(ctx.db) })),
});
