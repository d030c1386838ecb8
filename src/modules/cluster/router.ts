import { ById, Confirmation } from '@/lib/wire';
import { listProcedures } from '@/server/list/list-procedures';
import { router, superAdminProcedure } from '@/server/procedures/trpc';
import { versioned } from '@/server/procedures/versions';
import { restOf } from '@/server/rest/meta';
import { nodeList } from './lists';
import { ClusterNode, UpdateClusterNode } from './schema';
import { getNode, listNodes, removeNode, updateNode } from './service';

const tag = 'Cluster';
const rest = restOf(tag);
const record = versioned('cluster_node', getNode);

const nodes = listProcedures(nodeList, {
  procedure: superAdminProcedure,
  item: ClusterNode,
  find: listNodes,
  tag,
  isReadOnPrimary: true,
  description: 'The app’s instances and the mail agents, by their heartbeats.',
});

export const clusterRouter = router({
  list: nodes.list,

  export: nodes.export,

  update: superAdminProcedure(UpdateClusterNode)
    .meta(
      rest('PATCH', '/cluster/nodes/{id}', {
        versioned: record,
        summary: 'Drain or resume an instance',
        audit: 'cluster_node.update',
        confirmation: 'A drained instance takes no work.',
        errors: { 409: ['CONFLICT'] },
      }),
    )
    .output(ClusterNode)
    .mutation(({ ctx, input }) => updateNode(ctx, input)),

  remove: superAdminProcedure(ById)
    .meta(
      rest('DELETE', '/cluster/nodes/{id}', {
        versioned: record,
        summary: 'Remove a dead instance',
        description: 'Others take over immediately what it was delivering.',
        audit: 'cluster_node.delete',
        errors: { 409: ['CONFLICT'] },
      }),
    )
    .output(Confirmation)
    .mutation(({ ctx, input }) => removeNode(ctx, input)),
});
