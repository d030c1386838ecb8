import { Empty } from '@/lib/wire';
import { listProcedures } from '@/server/list/list-procedures';
import { adminProcedure, router, superAdminProcedure } from '@/server/procedures/trpc';
import { versioned } from '@/server/procedures/versions';
import { restOf } from '@/server/rest/meta';
import { senderList } from './lists';
import { AbuseSender, AbuseSenderFilters, AbuseSummary, AbuseThresholds, UpdateAbuseThresholds } from './schema';
import { listAbuseSenders } from './senders';
import { getAbuseSummary, getAbuseThresholds, updateAbuseThresholds } from './service';

const tag = 'Abuse';
const rest = restOf(tag);
const thresholds = versioned('abuse_threshold', getAbuseThresholds);

const senders = listProcedures(senderList, {
  procedure: adminProcedure,
  item: AbuseSender,
  filters: AbuseSenderFilters,
  find: listAbuseSenders,
  tag,
});

export const abuseRouter = router({
  summary: adminProcedure(Empty)
    .meta(rest('GET', '/abuse/summary', { summary: 'Get a summary of sending and limits' }))
    .output(AbuseSummary)
    .query(({ ctx }) => getAbuseSummary(ctx)),

  senders: senders.list,

  exportSenders: senders.export,

  thresholds: adminProcedure(Empty)
    .meta(rest('GET', '/abuse/thresholds', { versioned: thresholds, summary: 'Get the sending limits' }))
    .output(AbuseThresholds)
    .query(({ ctx }) => getAbuseThresholds(ctx)),

  updateThresholds: superAdminProcedure(UpdateAbuseThresholds)
    .meta(
      rest('PATCH', '/abuse/thresholds', {
        versioned: thresholds,
        summary: 'Update the sending limits',
        description: 'Changes only the supplied values. Takes effect immediately.',
        audit: 'abuse_threshold.update',
        confirmation: 'Changes the limits of all senders, which takes effect immediately.',
      }),
    )
    .output(AbuseThresholds)
    .mutation(({ ctx, input }) => updateAbuseThresholds(ctx, input)),
});
