import { ById, Confirmation } from '@/lib/wire';
import { router, superAdminProcedure } from '@/server/procedures/trpc';
import { rest } from '@/server/rest/meta';
import { ClusterNode, ClusterNodePage, ListClusterNodes, UpdateClusterNode } from './schema';
import { listNodes, removeNode, updateNode } from './service';

const tag = 'Cluster';

export const clusterRouter = router({
  list: superAdminProcedure(ListClusterNodes)
    .meta(
      rest('GET', '/cluster/nodes', {
        tag,
        summary: 'List instances',
        isReadOnPrimary: true,
        description: 'The app’s instances and the mail agents, by their heartbeats.',
        isPaginated: true,
      }),
    )
    .output(ClusterNodePage)
    .query(({ ctx, input }) => listNodes(ctx, input)),

  update: superAdminProcedure(UpdateClusterNode)
    .meta(
      rest('PATCH', '/cluster/nodes/{id}', {
        tag,
        summary: 'Drain an instance, or let it take work again',
        audit: 'cluster_node.update',
        errors: { 404: ['NOT_FOUND'], 409: ['CONFLICT'] },
      }),
    )
    .output(ClusterNode)
    .mutation(({ ctx, input }) => updateNode(ctx, input)),

  remove: superAdminProcedure(ById)
    .meta(
      rest('DELETE', '/cluster/nodes/{id}', {
        tag,
        summary: 'Remove a dead instance',
        description: 'Others take over immediately what it was delivering.',
        audit: 'cluster_node.delete',
        errors: { 404: ['NOT_FOUND'], 409: ['CONFLICT'] },
      }),
    )
    .output(Confirmation)
    .mutation(({ ctx, input }) => removeNode(ctx, input)),
});
