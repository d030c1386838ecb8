import { Cell, Clipped, Copyable, RowLink } from '@/components/data-table/cells';
import { addedColumn } from '@/components/data-table/columns';
import type { ListColumn } from '@/components/data-table/data-table';
import { type Status, StatusMark } from '@/components/marks/status-mark';
import { useDomainNames } from '@/components/pickers/use-domain-names';
import { Badge } from '@/components/text/badge';
import { EmailAddress } from '@/components/values/email-address';
import { TimeAgo } from '@/components/values/time-ago';
import { formatPlural } from '@/lib/format';
import type { adminList } from '../lists';
import type { Admin, ListedAdmin } from '../schema';
import { ROLE_OPTIONS } from './role-fields';

export function adminColumns(myId: string | undefined): ListColumn<ListedAdmin, typeof adminList>[] {
  return [
    {
      header: 'Email',
      kind: 'copyable',
      mobile: 'lead',
      sortBy: 'email',
      skeletonWidth: 200,
      cell: ({ id, email }) => (
        <Copyable value={email} what="address">
          <Cell>
            <RowLink aria-label={email} href={`/admins/${id}`}>
              <EmailAddress value={email} />
            </RowLink>
            {id === myId && <Badge>You</Badge>}
          </Cell>
        </Copyable>
      ),
    },
    {
      header: 'Role',
      width: 136,
      maxWidth: 248,
      mobile: 'under',
      skeletonWidth: 88,
      cell: ({ role, totp_enabled }) => (
        <Cell>
          {roleLabel(role)}
          {!totp_enabled && (
            <span className="only-narrow">
              <StatusMark status={twoFactorMark(role, false)}>Two-factor disabled</StatusMark>
            </span>
          )}
        </Cell>
      ),
    },
    {
      header: 'Two-factor',
      width: 104,
      maxWidth: 216,
      skeletonWidth: 40,
      cell: ({ role, totp_enabled: isOn }) => (
        <StatusMark status={twoFactorMark(role, isOn)}>{isOn ? 'Enabled' : 'Disabled'}</StatusMark>
      ),
    },
    {
      header: 'Domains',
      width: 200,
      maxWidth: 360,
      isOptional: true,
      skeletonWidth: 72,
      className: 'soft',
      cell: ({ role, domain_ids }) =>
        role === 'domain_admin' ? <AssignedDomains ids={domain_ids ?? []} /> : 'All domains',
    },
    {
      header: 'Last sign-in',
      width: 136,
      maxWidth: 216,
      skeletonWidth: 80,
      className: 'soft',
      cell: ({ last_login_at }) => (last_login_at === null ? 'Never' : <TimeAgo iso={last_login_at} />),
    },
    { ...addedColumn(), isOptional: true },
  ];
}

/** Who can change everything, including other admins, is warned about; for the others it's a plain fact. */
export function twoFactorMark(role: Admin['role'], isOn: boolean): Status {
  if (isOn) return 'on';
  return role === 'super_admin' ? 'warning' : 'off';
}

/** The name of the only domain, or how many there are. */
function AssignedDomains({ ids }: { ids: string[] }) {
  const [only] = ids;
  const names = useDomainNames(ids.length === 1 && only ? [only] : []);
  return <Clipped text={(only && names.get(only)) ?? formatPlural(ids.length, 'domain')} />;
}

export function roleLabel(role: Admin['role']): string {
  return ROLE_OPTIONS.find(({ value }) => value === role)?.label ?? role;
}
