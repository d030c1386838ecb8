import { Empty } from '@/lib/wire';
import { exportProcedure } from '@/server/list/list-procedures';
import { publicProcedure, router, superAdminProcedure } from '@/server/procedures/trpc';
import { restOf } from '@/server/rest/meta';
import { checkNow } from './health/check-now';
import { getHealthDays, getHealthHistory, getSystemHealth } from './health/read';
import { healthList } from './lists';
import { GetHealthHistory, Health, HealthDays, HealthHistory, SystemHealth, Version } from './schema';
import { getHealth, getVersion } from './service';

const tag = 'System';
const rest = restOf(tag);

export const systemRouter = router({
  health: publicProcedure(Empty)
    .meta(
      rest('GET', '/health', {
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
    .meta(rest('GET', '/version', { summary: 'Get the version of the server and its API', isPublic: true }))
    .output(Version)
    .query(() => getVersion()),

  status: superAdminProcedure(Empty)
    .meta(
      rest('GET', '/system/health', {
        summary: 'Get the health of the system',
        isReadOnPrimary: true,
        description:
          'The last result of each check. They run every 15 seconds; a result older than a minute is `unknown`.',
      }),
    )
    .output(SystemHealth)
    .query(({ ctx }) => getSystemHealth(ctx)),

  exportHealth: exportProcedure(healthList, {
    procedure: superAdminProcedure,
    input: Empty,
    items: async (ctx) => (await getSystemHealth(ctx)).checks,
    tag,
    description: 'The last result of each check, the worst first.',
    isReadOnPrimary: true,
  }),

  checkNow: superAdminProcedure(Empty)
    .meta(
      rest('POST', '/system/health/check', {
        summary: 'Run all checks now',
        description: 'Answers with the new results, after 12 seconds at most.',
        audit: 'health.check',
        confirmation: null,
      }),
    )
    .output(SystemHealth)
    .mutation(({ ctx }) => checkNow(ctx)),

  days: superAdminProcedure(Empty)
    .meta(
      rest('GET', '/system/health/history', {
        summary: 'Get the last day of all checks',
        description: 'By hour: the worst status and the average value.',
        isReadOnPrimary: true,
      }),
    )
    .output(HealthDays)
    .query(({ ctx }) => getHealthDays(ctx)),

  history: superAdminProcedure(GetHealthHistory)
    .meta(
      rest('GET', '/system/health/{name}/history', {
        summary: 'Get the last day of a check',
        isReadOnPrimary: true,
      }),
    )
    .output(HealthHistory)
    .query(({ ctx, input }) => getHealthHistory(ctx, input)),
});
