'use client';

import { Button } from '@mantine/core';
import { IconClipboardList, IconMail } from '@tabler/icons-react';
import Link from 'next/link';
import { trpc } from '@/components/api/trpc';
import { StatusMark } from '@/components/marks/status-mark';
import { NotShown } from '@/components/not-shown';
import { PageHead } from '@/components/page-head';
import { Page } from '@/components/shell/page';
import { useMay } from '@/components/shell/use-may';
import { formatDay, formatPlural } from '@/lib/format';
import { DeleteDomain } from './delete-domain';
import { DkimKeys } from './dkim/dkim-keys';
import { useDkim } from './dkim/use-dkim';
import { DomainSettings } from './domain-settings';

const CRUMB = { label: 'Domains', href: '/domains' };

export function DomainPage({ id }: { id: string }) {
  const mayChange = useMay('admin');
  const { data: domain, isError, error, refetch } = trpc.domains.get.useQuery({ id });
  const dkim = useDkim(id);

  if (isError && !domain) {
    return <NotShown crumb={CRUMB} title="Domain" error={error} onRetry={() => void refetch()} />;
  }
  return (
    <Page>
      <PageHead
        crumb={CRUMB}
        title={domain?.name ?? '\u00a0'}
        mono
        lede={
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
          Its history
        </Button>
        <Button component={Link} href={`/messages?domain=${id}`} leftSection={<IconMail stroke={1.5} />}>
          Its messages
        </Button>
      </PageHead>
      {domain && mayChange !== undefined && !dkim.isPending ? (
        <>
          <DomainSettings domain={domain} isReadOnly={!mayChange} />
          <DkimKeys domain={domain} dkim={dkim} isReadOnly={!mayChange} />
          {mayChange && <DeleteDomain domain={domain} />}
        </>
      ) : (
        <SettingsBones />
      )}
    </Page>
  );
}

function SettingsBones() {
  return (
    <div aria-busy="true">
      {[160, 248].map((height) => (
        <div key={height} className="entry" style={{ minHeight: height }}>
          <div className="entry-side">
            <span className="bone" style={{ width: 96 }} />
          </div>
          <div className="entry-main">
            <span className="bone" style={{ width: 328 }} />
          </div>
        </div>
      ))}
    </div>
  );
}
