'use client';

import { Button } from '@mantine/core';
import { parseAsBoolean, parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import type { ReactNode } from 'react';
import { prefetchDuringRender } from '@/components/api/prefetch-during-render';
import { trpc } from '@/components/api/trpc';
import { IconMail, IconPlus, IconRefresh } from '@/components/icons/icons';
import { LoadFailed } from '@/components/load-failed';
import { StatusMark } from '@/components/marks/status-mark';
import { NearLink } from '@/components/near-link';
import { PageHeader } from '@/components/page-header';
import { PageTabs } from '@/components/page-tabs';
import { SettingsSkeleton } from '@/components/settings-section';
import { Page } from '@/components/shell/page';
import { useHasRole } from '@/components/shell/use-has-role';
import { formatDay, formatPlural } from '@/lib/format';
import type { DnsRecord } from '../dns/schema';
import type { Domain } from '../schema';
import { DomainAliases } from './directory/domain-aliases';
import { DomainMailboxes } from './directory/domain-mailboxes';
import { DkimKeys } from './dkim/dkim-keys';
import { useDkim } from './dkim/use-dkim';
import { DnsTab } from './dns/dns-tab';
import { DnsTabTitle } from './dns/dns-tab-title';
import { type Dns, useDns } from './dns/use-dns';
import { ZoneMenu } from './dns/zone-menu';
import { DeleteDomain } from './settings/delete-domain';
import { DomainSettings } from './settings/domain-settings';

const CRUMB = { label: 'Domains', href: '/domains' };
const TABS = ['dns', 'dkim', 'mailboxes', 'aliases', 'settings', 'history'] as const;
type Tab = (typeof TABS)[number];

/** URL parameters that belong to one tab, and that are cleared when another is chosen. */
const OF_TAB = {
  cursor: parseAsString,
  record: parseAsString,
  view: parseAsString,
  optional: parseAsString,
  kind: parseAsString,
  period: parseAsString,
  report: parseAsString,
  rotate: parseAsBoolean,
};
const URL_STATE = { tab: parseAsStringLiteral(TABS).withDefault('dns'), ...OF_TAB };
const NO_STATE = Object.fromEntries(Object.keys(OF_TAB).map((name) => [name, null]));

type DomainPageProps = {
  id: string;
  /** The parts of other modules: what its mailboxes sent, what other servers report about it, and who changed it. */
  sent: ReactNode;
  reports: ReactNode;
  history: ReactNode;
};

export function DomainPage({ id, sent, reports, history }: DomainPageProps) {
  const [{ tab }, setState] = useQueryStates(URL_STATE, { history: 'push' });
  const canEdit = useHasRole('admin');
  const utils = trpc.useUtils();
  prefetchDuringRender(() => utils.domains.dns.prefetch({ id }));
  const { data: domain, isError, error, refetch } = trpc.domains.get.useQuery({ id });
  const dns = useDns(id);

  if (isError && !domain) {
    return <LoadFailed parent={CRUMB} title="Domain" error={error} onRetry={() => void refetch()} />;
  }
  return (
    <Page>
      <PageHeader
        hasTabs
        parent={CRUMB}
        title={domain?.name}
        mono
        description={domain && <Description domain={domain} />}
      >
        {domain && (
          <>
            <Button component={NearLink} href={`/messages?domain=${id}`} leftSection={<IconMail stroke={1.5} />}>
              Messages
            </Button>
            {actionsOf(tab, domain, dns)}
          </>
        )}
      </PageHeader>
      <PageTabs
        label="Domain"
        isWaiting={!domain || dns.isPending}
        current={tab}
        onChange={(next) => void setState({ ...NO_STATE, tab: next })}
        tabs={{
          dns: {
            title: <DnsTabTitle dns={dns.data} active={domain?.active ?? true} />,
            content: () => domain && <DnsTab domain={domain} dns={dns} reports={reports} />,
          },
          dkim: {
            title: 'DKIM',
            content: () => domain && <DkimTab domain={domain} records={dns.data?.records} canEdit={canEdit} />,
          },
          mailboxes: {
            title: 'Mailboxes',
            content: () => domain && <DomainMailboxes domain={domain}>{sent}</DomainMailboxes>,
          },
          aliases: { title: 'Aliases', content: () => domain && <DomainAliases domain={domain} /> },
          settings: {
            title: 'Settings',
            content: () =>
              domain && canEdit !== undefined ? (
                <>
                  <DomainSettings domain={domain} isReadOnly={!canEdit} />
                  {canEdit && <DeleteDomain domain={domain} />}
                </>
              ) : (
                <SettingsSkeleton heights={[160, 248]} />
              ),
          },
          history: { title: 'History', content: () => history },
        }}
      />
    </Page>
  );
}

function Description({ domain: { id, active, mailbox_count, alias_count, created_at } }: { domain: Domain }) {
  return (
    <>
      <StatusMark status={active ? 'on' : 'off'} />
      <NearLink href={`/mailboxes?domain=${id}`}>{formatPlural(mailbox_count, 'mailbox', 'mailboxes')}</NearLink>
      <NearLink href={`/aliases?domain=${id}`}>{formatPlural(alias_count, 'alias', 'aliases')}</NearLink>
      <span className="only-wide">Added {formatDay(created_at)}</span>
    </>
  );
}

/** The buttons beside the title; undefined if the tab has none. */
function actionsOf(tab: Tab, { id, active }: Domain, dns: Dns): ReactNode {
  if (tab === 'dns') {
    return (
      <>
        <ZoneMenu id={id} />
        <Button
          variant={active ? 'filled' : undefined}
          leftSection={<IconRefresh stroke={1.75} />}
          loading={dns.isRunning}
          onClick={dns.check}
        >
          Check again
        </Button>
      </>
    );
  }
  if (tab === 'mailboxes' || tab === 'aliases') {
    return (
      <Button
        component={NearLink}
        href={`/${tab}?domain=${id}&new=true`}
        variant="filled"
        leftSection={<IconPlus stroke={2} />}
      >
        {tab === 'mailboxes' ? 'New mailbox' : 'New alias'}
      </Button>
    );
  }
  return undefined;
}

type DkimTabProps = { domain: Domain; records: DnsRecord[] | undefined; canEdit: boolean | undefined };

function DkimTab({ domain, records, canEdit }: DkimTabProps) {
  const dkim = useDkim(domain.id);
  if (canEdit === undefined || dkim.isPending) return <SettingsSkeleton heights={[360]} />;
  return <DkimKeys domain={domain} dkim={dkim} records={records} isReadOnly={!canEdit} />;
}
