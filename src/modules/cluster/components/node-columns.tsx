import { Button, Group, Menu } from '@mantine/core';
import { Cell } from '@/components/data-table/cells';
import type { DataTableColumn } from '@/components/data-table/data-table';
import { type Status, StatusMark } from '@/components/marks/status-mark';
import { RowMenu } from '@/components/row-controls/row-menu';
import { TimeAgo } from '@/components/values/time-ago';
import { formatBytes, formatPlural } from '@/lib/format';
import type { ClusterNode } from '../schema';
import classes from './node-columns.module.css';

type Options = Record<'onDrain' | 'onActivate' | 'onRemove', (node: ClusterNode) => void>;

export function nodeColumns({ onDrain, onActivate, onRemove }: Options): DataTableColumn<ClusterNode>[] {
  return [
    {
      header: 'Host',
      mobile: 'lead',
      skeletonWidth: 160,
      cell: (node) => (
        <span className="clip" title={`${addressOf(node)}, process ${node.process_id}`}>
          <span className="strong">{addressOf(node)}</span> <span className="soft">process {node.process_id}</span>
        </span>
      ),
    },
    {
      header: 'Status',
      width: 120,
      maxWidth: 144,
      mobile: 'side',
      skeletonWidth: 64,
      cell: (node) => {
        const [mark, word] = stateOf(node);
        return <StatusMark status={mark}>{word}</StatusMark>;
      },
    },
    {
      header: 'Role',
      width: 96,
      maxWidth: 144,
      mobile: 'under',
      skeletonWidth: 64,
      cell: (node) => (
        <Cell>
          {node.roles.includes('agent') ? 'Mail agent' : 'App'}
          <span className="only-narrow soft">
            {node.version}, heartbeat&nbsp;
            <TimeAgo iso={node.last_heartbeat_at} />
          </span>
          <span className={`only-narrow soft ${classes.line}`}>
            <span>
              Load <Load node={node} />, memory {formatBytes(node.memory_bytes)}
            </span>
          </span>
        </Cell>
      ),
    },
    { header: 'Version', width: 72, maxWidth: 120, skeletonWidth: 40, cell: ({ version }) => version },
    {
      header: 'Load (1 min)',
      width: 144,
      maxWidth: 160,
      kind: 'figure',
      isOptional: true,
      skeletonWidth: 32,
      cell: (node) => <Load node={node} />,
    },
    {
      header: 'Memory',
      width: 88,
      maxWidth: 112,
      kind: 'figure',
      isOptional: true,
      skeletonWidth: 48,
      cell: ({ memory_bytes: bytes }) => formatBytes(bytes),
    },
    {
      header: 'Started',
      width: 112,
      maxWidth: 144,
      kind: 'figure',
      isOptional: true,
      skeletonWidth: 64,
      className: 'soft',
      cell: ({ started_at: at }) => <TimeAgo iso={at} />,
    },
    {
      header: 'Heartbeat',
      width: 112,
      maxWidth: 144,
      kind: 'figure',
      skeletonWidth: 64,
      className: 'soft',
      cell: ({ last_heartbeat_at: at }) => <TimeAgo iso={at} />,
    },
    {
      key: 'actions',
      header: <span className="sr-only">Actions</span>,
      width: 96,
      kind: 'tail',
      mobile: 'tail',
      skeletonWidth: 64,
      cell: (node) => <Action node={node} on={{ onDrain, onActivate, onRemove }} />,
    },
  ];
}

/** A high load is no warning: checks of their own look at what suffers from it. */
function Load({ node: { load_average: load, cpus } }: { node: ClusterNode }) {
  return (
    <>
      {load.toFixed(2)}
      {cpus !== null && <span className="soft">, {formatPlural(cpus, 'CPU')}</span>}
    </>
  );
}

/** As Health names it. */
export function addressOf({ host, port }: ClusterNode): string {
  return port === null ? host : `${host}:${port}`;
}

function Action({ node, on }: { node: ClusterNode; on: Options }) {
  const { alive, state, roles } = node;
  const button = (text: string, act: (node: ClusterNode) => void) => (
    <Button size="xs" aria-label={`${text}: ${addressOf(node)}`} onClick={() => act(node)}>
      {text}
    </Button>
  );
  if (!alive) return button('Remove', on.onRemove);
  // As wide as the menu, so that on a phone the states are below each other.
  if (roles.includes('agent')) return <Group miw={28} />;
  if (state === 'draining') return button('Resume', on.onActivate);
  return (
    <RowMenu label={`Actions: ${addressOf(node)}`}>
      <Menu.Item onClick={() => on.onDrain(node)}>Drain…</Menu.Item>
    </RowMenu>
  );
}

function stateOf({ alive, state }: ClusterNode): [Status, string] {
  if (!alive) return ['failed', 'No heartbeat'];
  return state === 'draining' ? ['deferred', 'Draining'] : ['on', 'Active'];
}
