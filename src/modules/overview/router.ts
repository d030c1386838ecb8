import { authedProcedure, router } from '@/server/procedures/trpc';
import { getAttention } from './attention';
import { Attention, GetOverview, Overview } from './schema';
import { getOverview } from './service';

export const overviewRouter = router({
  get: authedProcedure(GetOverview)
    .meta({ isOpenToScopedKeys: true })
    .output(Overview)
    .query(({ ctx, input }) => getOverview(ctx, input)),

  attention: authedProcedure(GetOverview)
    .meta({ isOpenToScopedKeys: true })
    .output(Attention)
    .query(({ ctx, input }) => getAttention(ctx, input)),
});
