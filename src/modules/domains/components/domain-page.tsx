'use client';

import { Button } from '@mantine/core';
import { IconClipboardList, IconMail } from '@tabler/icons-react';
import Link from 'next/link';
import { trpc } from '@/components/api/trpc';
import { LoadFailed } from '@/components/load-failed';
import { StatusMark } from '@/components/marks/status-mark';
import { PageHeader } from '@/components/page-header';
import { SettingsSkeleton } from '@/components/settings-section';
import { Page } from '@/components/shell/page';
import { useHasRole } from '@/components/shell/use-has-role';
import { formatDay, formatPlural } from '@/lib/format';
import { DeleteDomain } from './delete-domain';
import { DkimKeys } from './dkim/dkim-keys';
import { useDkim } from './dkim/use-dkim';
import { DnsSection, useDns } from './dns/dns-section';
import { DomainSettings } from './domain-settings';

const CRUMB = { label: 'Domains', href: '/domains' };

export function DomainPage({ id }: { id: string }) {
  const canEdit = useHasRole('admin');
  const { data: domain, isError, error, refetch } = trpc.domains.get.useQuery({ id });
  const dkim = useDkim(id);
  const dns = useDns(id);

  if (isError && !domain) {
    return <LoadFailed parent={CRUMB} title="Domain" error={error} onRetry={() => void refetch()} />;
  }
  return (
    <Page>
      <PageHeader
        parent={CRUMB}
        title={domain?.name ?? '\u00a0'}
        mono
        description={
          domain && (
            <>
              <StatusMark status={domain.active ? 'on' : 'off'} />
              <Link href={`/mailboxes?domain=${id}`}>{formatPlural(domain.mailbox_count, 'mailbox', 'mailboxes')}</Link>
              <Link href={`/aliases?domain=${id}`}>{formatPlural(domain.alias_count, 'alias', 'aliases')}</Link>
              <span className="only-wide">Added {formatDay(domain.created_at)}</span>
            </>
          )
        }
      >
        <Button
          component={Link}
          href={`/audit?resource=${encodeURIComponent(`domain:${id}`)}`}
          leftSection={<IconClipboardList stroke={1.5} />}
        >
          Audit history
        </Button>
        <Button component={Link} href={`/messages?domain=${id}`} leftSection={<IconMail stroke={1.5} />}>
          Messages
        </Button>
      </PageHeader>
      {domain && canEdit !== undefined && !dkim.isPending && !dns.isPending ? (
        <>
          <DnsSection domain={domain} dns={dns} />
          <DomainSettings domain={domain} isReadOnly={!canEdit} />
          <DkimKeys domain={domain} dkim={dkim} isReadOnly={!canEdit} />
          {canEdit && <DeleteDomain domain={domain} />}
        </>
      ) : (
        <SettingsSkeleton heights={[360, 160, 248]} />
      )}
    </Page>
  );
}
