import { Empty } from '@/lib/wire';
import { publicProcedure, router } from '@/server/procedures/trpc';
import { rest } from '@/server/rest/meta';
import { Health, Version } from './schema';
import { getHealth, getVersion } from './service';

const tag = 'System';

export const systemRouter = router({
  health: publicProcedure(Empty)
    .meta(
      rest('GET', '/health', {
        tag,
        summary: 'Check readiness',
        description:
          'Returns 503 with the status `down` while the database is unavailable, or this instance is draining.',
        isPublic: true,
        isUnlimited: true,
        otherStatuses: [503],
      }),
    )
    .output(Health)
    .query(({ ctx }) => getHealth(ctx)),

  version: publicProcedure(Empty)
    .meta(rest('GET', '/version', { tag, summary: 'Get the version of the server and its API', isPublic: true }))
    .output(Version)
    .query(() => getVersion()),
});
