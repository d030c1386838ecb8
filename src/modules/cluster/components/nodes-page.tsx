'use client';

import { Box } from '@mantine/core';
import { useState } from 'react';
import { ifUnchanged } from '@/components/api/if-unchanged';
import { toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import { ConfirmDialog } from '@/components/dialogs/confirm-dialog';
import { ExportButton } from '@/components/list/export-csv';
import { ListView } from '@/components/list/list-view';
import { useList } from '@/components/list/use-list';
import { useRowActions } from '@/components/list/use-row-actions';
import { PageHeader } from '@/components/page-header';
import { Page } from '@/components/shell/page';
import { nodeList } from '../lists';
import type { ClusterNode } from '../schema';
import { addressOf, nodeColumns } from './node-columns';

const REFRESH_MS = 5_000;

export function NodesPage() {
  const utils = trpc.useUtils();
  const list = useList(nodeList, trpc.cluster.list, {
    input: {},
    limit: 200,
    refetchInterval: REFRESH_MS,
    retry: false,
  });
  const update = trpc.cluster.update.useMutation();
  const remove = trpc.cluster.remove.useMutation();
  const [draining, setDraining] = useState<ClusterNode | null>(null);
  const actions = useRowActions<ClusterNode>({
    keyOf: ({ id }) => id,
    nameOf: ([node]) => (node ? nameOf(node) : ''),
    refresh: () => utils.cluster.list.invalidate(),
  });
  const setState = (node: ClusterNode, state: ClusterNode['state']) =>
    actions.run({
      rows: [node],
      verb: state === 'draining' ? 'drain' : 'resume',
      act: (row) => update.mutateAsync(ifUnchanged('cluster_node', row, { id: row.id, state })),
      text: () => (state === 'draining' ? `Draining ${nameOf(node)}` : `Resumed ${nameOf(node)}`),
      change: () => ({ state }),
      onDone: () => setDraining(null),
    });
  const columns = nodeColumns({
    onDrain: setDraining,
    onActivate: (node) => setState(node, 'active'),
    onRemove: (node) =>
      actions.run({
        rows: [node],
        verb: 'remove',
        act: (row) => remove.mutateAsync(ifUnchanged('cluster_node', row, { id: row.id })),
        text: () => `Removed ${nameOf(node)}`,
        takesFocus: true,
      }),
  });

  return (
    <Page>
      <PageHeader title="Nodes" description="Postroom instances and mail agents">
        <ExportButton list={list} />
      </PageHeader>
      <Box pt="md">
        <ListView
          list={list}
          caption="Nodes"
          columns={columns}
          skeletonRows={2}
          rows={list.query.data?.items.map(actions.latest)}
        />
      </Box>
      <ConfirmDialog
        opened={draining !== null}
        title={draining ? `Drain ${nameOf(draining)}` : ''}
        action="Drain"
        problem={update.error ? toProblem(update.error) : null}
        isBusy={update.isPending}
        onClose={() => setDraining(null)}
        onConfirm={() => draining && setState(draining, 'draining')}
      >
        <p className="soft">
          The node finishes its current work, takes no new background work, and reports not ready, so that a load
          balancer stops sending requests to it. If no other node is active, webhooks and clean-up wait.
        </p>
      </ConfirmDialog>
    </Page>
  );
}

function nameOf(node: ClusterNode): string {
  return `${addressOf(node)} (${node.process_id})`;
}
