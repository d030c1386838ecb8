import { authedProcedure, router } from '@/server/procedures/trpc';
import { FileOutput } from '@/server/rest/file';
import { restOf } from '@/server/rest/meta';
import { exportAnalytics } from './export';
import { Analytics, ExportAnalytics, GetAnalytics } from './schema';
import { getAnalytics } from './service';

const rest = restOf('Analytics');
const errors = {
  400: ['INVALID_PERIOD', 'INVALID_PAGINATION'],
} as const satisfies Parameters<typeof rest>[2]['errors'];

export const analyticsRouter = router({
  get: authedProcedure(GetAnalytics)
    .meta(
      rest('GET', '/analytics', {
        summary: 'Get statistics of messages',
        description:
          'Counts messages by the time they were created and their status now, so the figures agree with the list of messages ' +
          'of the same time and status, and change until each message has its result. Messages that are deleted stay counted.',
        isOpenToScopedKeys: true,
        errors,
      }),
    )
    .output(Analytics)
    .query(({ ctx, input }) => getAnalytics(ctx, input)),

  export: authedProcedure(ExportAnalytics)
    .meta(
      rest('GET', '/analytics/export', {
        summary: 'Export statistics of messages',
        description: 'The series, or the breakdown if `dimension` is given, as CSV.',
        isOpenToScopedKeys: true,
        file: 'text/csv; charset=utf-8',
        errors,
      }),
    )
    .output(FileOutput)
    .query(({ ctx, input }) => exportAnalytics(ctx, input)),
});
