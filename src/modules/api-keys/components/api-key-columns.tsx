import { Button } from '@mantine/core';
import { Cell } from '@/components/data-table/cells';
import type { DataTableColumn } from '@/components/data-table/data-table';
import { StatusMark } from '@/components/marks/status-mark';
import { Badge } from '@/components/text/badge';
import { formatAgo, formatDate, formatPlural } from '@/lib/format';
import type { ApiKey } from '../schema';

export function apiKeyColumns(
  domainNames: Map<string, string>,
  myId: string | undefined,
  onRevoke: (key: ApiKey) => void,
): DataTableColumn<ApiKey>[] {
  return [
    {
      key: 'name',
      header: 'Name',
      mobile: 'lead',
      sortBy: 'name',
      skeletonWidth: 140,
      cell: ({ name, admin_id }) => (
        <Cell>
          <span className="clip strong">{name}</span>
          {myId !== undefined && admin_id !== myId && <Badge>Other admin</Badge>}
        </Cell>
      ),
    },
    {
      key: 'prefix',
      header: 'Prefix',
      width: 168,
      mobile: 'under',
      skeletonWidth: 128,
      cell: ({ key_prefix }) => <span className="mono">{key_prefix}</span>,
    },
    {
      key: 'domains',
      header: 'Domains',
      width: 224,
      isOptional: true,
      skeletonWidth: 96,
      cell: ({ scoped_domain_ids }) => <span className="clip">{scopeLabel(scoped_domain_ids, domainNames)}</span>,
    },
    {
      key: 'rate',
      header: 'Rate limit',
      isOptional: true,
      width: 96,
      kind: 'figure',
      skeletonWidth: 56,
      cell: ({ rate_limit }) => (rate_limit === 0 ? 'Unlimited' : `${rate_limit} / min`),
    },
    {
      key: 'used',
      header: 'Last used',
      width: 128,
      skeletonWidth: 72,
      className: 'soft',
      cell: ({ last_used_at }) => (last_used_at === null ? 'Never' : formatAgo(last_used_at)),
    },
    {
      key: 'expires',
      header: 'Expires',
      width: 156,
      skeletonWidth: 72,
      cell: ({ expires_at }) => <Expiry at={expires_at} />,
    },
    {
      key: 'revoke',
      header: <span className="sr-only">Revoke</span>,
      width: 84,
      kind: 'tail',
      mobile: 'tail',
      cell: (key) => (
        <Button size="xs" className="danger" aria-label={`Revoke ${key.name}`} onClick={() => onRevoke(key)}>
          Revoke
        </Button>
      ),
    },
  ];
}

function scopeLabel(ids: readonly string[], domainNames: Map<string, string>): string {
  const [only] = ids;
  if (only === undefined) return 'All domains';
  if (ids.length > 1) return formatPlural(ids.length, 'domain');
  return domainNames.get(only) ?? '1 domain';
}

function Expiry({ at }: { at: string | null }) {
  if (at === null) return 'Never';
  if (new Date(at) > new Date()) return formatDate(at);
  return <StatusMark status="off">Expired {formatDate(at)}</StatusMark>;
}
