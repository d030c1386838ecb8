import { Cell, Clipped, Copyable, RowLink } from '@/components/data-table/cells';
import { addedColumn } from '@/components/data-table/columns';
import type { DataTableColumn } from '@/components/data-table/data-table';
import { StatusMark } from '@/components/marks/status-mark';
import { Badge } from '@/components/text/badge';
import { TimeAgo } from '@/components/values/time-ago';
import { formatPlural } from '@/lib/format';
import type { Admin, ListedAdmin } from '../schema';
import { ROLE_OPTIONS } from './role-fields';

export function adminColumns(myId: string | undefined): DataTableColumn<ListedAdmin>[] {
  return [
    {
      header: 'Email',
      kind: 'copyable',
      mobile: 'lead',
      sortBy: 'email',
      skeletonWidth: 200,
      cell: ({ id, email, totp_enabled }) => (
        <Copyable value={email} what="address">
          <Cell>
            <RowLink href={`/admins/${id}`}>
              <Clipped text={email} className="strong" />
            </RowLink>
            {id === myId && <Badge>You</Badge>}
            {!totp_enabled && <StatusMark status="warning">No two-factor</StatusMark>}
          </Cell>
        </Copyable>
      ),
    },
    {
      header: 'Role',
      width: 136,
      mobile: 'under',
      skeletonWidth: 88,
      cell: ({ role }) => roleLabel(role),
    },
    {
      header: 'Domains',
      width: 128,
      isOptional: true,
      skeletonWidth: 72,
      className: 'soft',
      cell: ({ role, domain_ids }) =>
        role === 'domain_admin' ? formatPlural(domain_ids?.length ?? 0, 'domain') : 'All domains',
    },
    {
      header: 'Last sign-in',
      width: 136,
      skeletonWidth: 80,
      className: 'soft',
      cell: ({ last_login_at }) => (last_login_at === null ? 'Never' : <TimeAgo iso={last_login_at} />),
    },
    { ...addedColumn(), isOptional: true },
  ];
}

export function roleLabel(role: Admin['role']): string {
  return ROLE_OPTIONS.find(({ value }) => value === role)?.label ?? role;
}
