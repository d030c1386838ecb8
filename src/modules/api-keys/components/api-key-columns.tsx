import { Menu } from '@mantine/core';
import { Cell } from '@/components/data-table/cells';
import type { ListColumn } from '@/components/data-table/data-table';
import { StatusMark } from '@/components/marks/status-mark';
import { NearLink } from '@/components/near-link';
import { useDomainNames } from '@/components/pickers/use-domain-names';
import { RowMenu } from '@/components/row-controls/row-menu';
import { CalendarDate } from '@/components/values/calendar-date';
import { EmailAddress } from '@/components/values/email-address';
import { TimeAgo } from '@/components/values/time-ago';
import { EXPIRES_SOON_DAYS, KEY_PERMISSIONS, type KeyPermission } from '@/lib/access/key-permissions';
import { formatDate, formatDaysLeft, formatPlural } from '@/lib/format';
import type { apiKeyList } from '../lists';
import type { ApiKey } from '../schema';
import classes from './api-key-columns.module.css';

export const PERMISSION_LABELS: Record<KeyPermission, string> = { send: 'Send', read: 'Read', manage: 'Make changes' };

const SOON_MS = EXPIRES_SOON_DAYS * 86_400_000;

/** The title of a key names its first domains. */
const MAX_NAMES = 3;

type Options = {
  /** Whether keys of several admins are listed. */
  hasOwners: boolean;
  /** Who is signed in, and replaces only own keys: a new key belongs to who creates it. */
  adminId: string | undefined;
  onReplace: (key: ApiKey) => void;
  onHistory: (key: ApiKey) => void;
  onRevoke: (key: ApiKey) => void;
};

export function apiKeyColumns({
  hasOwners,
  adminId,
  onReplace,
  onHistory,
  onRevoke,
}: Options): ListColumn<ApiKey, typeof apiKeyList>[] {
  const owner: ListColumn<ApiKey, typeof apiKeyList> = {
    header: 'Admin',
    width: 212,
    maxWidth: 320,
    isOptional: true,
    skeletonWidth: 140,
    cell: ({ admin_email: email }) => <EmailAddress value={email} isLight />,
  };
  return [
    {
      header: 'Name',
      mobile: 'lead',
      sortBy: 'name',
      skeletonWidth: 140,
      cell: ({ name, expires_at }) => (
        <Cell>
          <span className="two-lines strong" title={name}>
            {name}
          </span>
          {expires_at && expiresSoon(expires_at) && (
            <span className="only-narrow">
              <Expiry at={expires_at} />
            </span>
          )}
        </Cell>
      ),
    },
    ...(hasOwners ? [owner] : []),
    {
      header: 'Prefix',
      width: 148,
      maxWidth: 176,
      mobile: 'under',
      skeletonWidth: 128,
      cell: ({ key_prefix, last_used_at: used, ...key }) => (
        <span className={classes.lines}>
          {hasOwners && (
            <span className="only-narrow">
              <EmailAddress value={key.admin_email} isLight />
            </span>
          )}
          <span className="only-narrow soft">
            <KeyScope ids={key.scoped_domain_ids} restrictions={[...restrictionsOf(key), narrowRateOf(key)]} />
          </span>
          <Cell>
            <span className="mono">{key_prefix}</span>
            <span className="only-narrow soft">
              {used ? (
                <>
                  Used&nbsp;
                  <TimeAgo iso={used} />
                </>
              ) : (
                'Never used'
              )}
            </span>
          </Cell>
        </span>
      ),
    },
    {
      header: 'Access',
      width: 176,
      maxWidth: 264,
      isOptional: true,
      skeletonWidth: 96,
      cell: (key) => <KeyScope ids={key.scoped_domain_ids} restrictions={restrictionsOf(key)} />,
    },
    {
      header: 'Rate limit',
      isOptional: true,
      width: 76,
      maxWidth: 120,
      kind: 'figure',
      skeletonWidth: 56,
      cell: (key) => rateOf(key),
    },
    {
      header: 'Last used',
      width: 84,
      maxWidth: 136,
      skeletonWidth: 72,
      className: 'soft',
      cell: ({ last_used_at }) => (last_used_at === null ? 'Never' : <TimeAgo iso={last_used_at} />),
    },
    {
      header: 'Expires',
      width: 124,
      maxWidth: 184,
      skeletonWidth: 72,
      cell: ({ expires_at }) => <Expiry at={expires_at} />,
    },
    {
      key: 'actions',
      header: <span className="sr-only">Actions</span>,
      width: 44,
      kind: 'control',
      mobile: 'tail',
      skeletonWidth: 24,
      cell: (key) => (
        <RowMenu label={`Actions: ${key.name}`}>
          {key.admin_id === adminId && <Menu.Item onClick={() => onReplace(key)}>Replace…</Menu.Item>}
          {key.permissions.includes('send') && (
            <Menu.Item component={NearLink} href={`/messages?${new URLSearchParams({ key: key.id })}`}>
              Messages sent with it
            </Menu.Item>
          )}
          <Menu.Item component={NearLink} href={`/audit?${new URLSearchParams({ key: key.id })}`}>
            Activity
          </Menu.Item>
          <Menu.Item onClick={() => onHistory(key)}>History</Menu.Item>
          <Menu.Item className="danger" onClick={() => onRevoke(key)}>
            Revoke…
          </Menu.Item>
        </RowMenu>
      ),
    },
  ];
}

function rateOf({ rate_limit: limit }: Pick<ApiKey, 'rate_limit'>): string {
  return limit === 0 ? 'Unlimited' : `${limit} / min`;
}

/** The limit without the header of its column. */
function narrowRateOf(key: Pick<ApiKey, 'rate_limit'>): string {
  return key.rate_limit === 0 ? 'no rate limit' : rateOf(key);
}

function KeyScope({ ids, restrictions }: { ids: string[]; restrictions: string[] }) {
  const names = useDomainNames(ids.slice(0, MAX_NAMES));
  const [only] = ids;
  const others = ids.length > MAX_NAMES ? [`${ids.length - MAX_NAMES} more`] : [];
  const all = only === undefined ? ['All domains'] : [...names.values(), ...others];
  const domains = (ids.length === 1 && only && names.get(only)) || formatPlural(ids.length, 'domain');
  return (
    <span className="two-lines" title={[...all, ...restrictions].join(', ')}>
      {[only === undefined ? 'All domains' : domains, ...restrictions].join(', ')}
    </span>
  );
}

/** How a key is restricted beside its domains, such as "send only, as shop@example.com, from 2 client addresses". */
function restrictionsOf({
  permissions,
  senders,
  allowed_ips: ips,
}: Pick<ApiKey, 'permissions' | 'senders' | 'allowed_ips'>): string[] {
  const labels = permissions.map((permission) => PERMISSION_LABELS[permission].toLowerCase());
  return [
    ...(permissions.length < KEY_PERMISSIONS.length ? [`${labels.join(' and ')} only`] : []),
    ...(senders.length > 0 ? [`as ${senders.length === 1 ? senders[0] : formatPlural(senders.length, 'sender')}`] : []),
    ...(ips.length > 0 ? [`from ${ips.length === 1 ? ips[0] : `${ips.length} client addresses`}`] : []),
  ];
}

function Expiry({ at }: { at: string | null }) {
  if (at === null) return 'Never';
  if (isExpired(at)) {
    return (
      <StatusMark status="off">
        Expired <CalendarDate iso={at} />
      </StatusMark>
    );
  }
  if (!expiresSoon(at)) return <CalendarDate iso={at} />;
  return (
    <span title={`Expires on ${formatDate(at)}`}>
      <StatusMark status="warning">
        <span className="only-narrow">Expires&nbsp;</span>
        {formatDaysLeft(at)}
      </StatusMark>
    </span>
  );
}

/** Also of a key that has expired. */
function expiresSoon(at: string): boolean {
  return new Date(at).getTime() - Date.now() < SOON_MS;
}

export function isExpired(at: string | null): boolean {
  return at !== null && new Date(at) <= new Date();
}
