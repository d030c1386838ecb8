import { Cell, RowLink } from '@/components/data-table/cells';
import type { DataTableColumn } from '@/components/data-table/data-table';
import { StatusMark } from '@/components/marks/status-mark';
import { Badge } from '@/components/text/badge';
import { formatAgo, formatDate, formatPlural } from '@/lib/format';
import type { Admin } from '../schema';
import { ROLE_OPTIONS } from './role-fields';

export function adminColumns(myId: string | undefined): DataTableColumn<Admin>[] {
  return [
    {
      key: 'email',
      header: 'Email',
      mobile: 'lead',
      sortBy: 'email',
      skeletonWidth: 200,
      cell: ({ id, email }) => (
        <Cell>
          <RowLink href={`/admins/${id}`}>
            <span className="clip strong">{email}</span>
          </RowLink>
          {id === myId && <Badge>You</Badge>}
        </Cell>
      ),
    },
    {
      key: 'role',
      header: 'Role',
      width: 136,
      mobile: 'under',
      skeletonWidth: 88,
      cell: ({ role }) => roleLabel(role),
    },
    {
      key: 'domains',
      header: 'Domains',
      width: 128,
      isOptional: true,
      skeletonWidth: 72,
      className: 'soft',
      cell: ({ role, domain_ids }) =>
        role === 'domain_admin' ? formatPlural(domain_ids.length, 'domain') : 'All domains',
    },
    {
      key: 'two-factor',
      header: 'Two-factor',
      width: 144,
      skeletonWidth: 40,
      cell: ({ totp_enabled }) => (
        <StatusMark status={totp_enabled ? 'on' : 'off'}>{totp_enabled ? 'Enabled' : 'Disabled'}</StatusMark>
      ),
    },
    {
      key: 'last',
      header: 'Last sign-in',
      width: 136,
      skeletonWidth: 80,
      className: 'soft',
      cell: ({ last_login_at }) => (last_login_at === null ? 'Never' : formatAgo(last_login_at)),
    },
    {
      key: 'added',
      header: 'Added',
      width: 112,
      kind: 'figure',
      sortBy: 'created_at',
      isOptional: true,
      skeletonWidth: 64,
      className: 'soft',
      cell: ({ created_at }) => formatDate(created_at),
    },
  ];
}

export function roleLabel(role: Admin['role']): string {
  return ROLE_OPTIONS.find(({ value }) => value === role)?.label ?? role;
}
