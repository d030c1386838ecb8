import { ById, Confirmation } from '@/lib/wire';
import { EXPORT_DESCRIPTION } from '@/server/list/export-list';
import { router, superAdminProcedure } from '@/server/procedures/trpc';
import { versioned } from '@/server/procedures/versions';
import { FileOutput } from '@/server/rest/file';
import { rest } from '@/server/rest/meta';
import { exportNodes } from './export';
import { ClusterNode, ClusterNodePage, ExportClusterNodes, ListClusterNodes, UpdateClusterNode } from './schema';
import { getNode, listNodes, removeNode, updateNode } from './service';

const tag = 'Cluster';
const record = versioned('cluster_node', getNode);

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

  export: superAdminProcedure(ExportClusterNodes)
    .meta(
      rest('GET', '/cluster/nodes/export', {
        tag,
        summary: 'Export instances as CSV',
        description: EXPORT_DESCRIPTION,
        file: 'text/csv; charset=utf-8',
        isReadOnPrimary: true,
      }),
    )
    .output(FileOutput)
    .query(({ ctx, input }) => exportNodes(ctx, input)),

  update: superAdminProcedure(UpdateClusterNode)
    .meta(
      rest('PATCH', '/cluster/nodes/{id}', {
        tag,
        versioned: record,
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
        versioned: record,
        summary: 'Remove a dead instance',
        description: 'Others take over immediately what it was delivering.',
        audit: 'cluster_node.delete',
        errors: { 404: ['NOT_FOUND'], 409: ['CONFLICT'] },
      }),
    )
    .output(Confirmation)
    .mutation(({ ctx, input }) => removeNode(ctx, input)),
});
