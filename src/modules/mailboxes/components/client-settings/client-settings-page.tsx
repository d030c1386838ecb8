'use client';

import { Button } from '@mantine/core';
import { prefetchDuringRender } from '@/components/api/prefetch-during-render';
import { trpc } from '@/components/api/trpc';
import { IconPrinter } from '@/components/icons/icons';
import { LoadFailed } from '@/components/load-failed';
import { PageHeader } from '@/components/page-header';
import { SettingsSkeleton } from '@/components/settings-section';
import { Page } from '@/components/shell/page';
import { DetailsList } from '@/components/text/details-list';
import { CopyButton } from '@/components/values/copy-button';
import type { ClientSettings, Mailbox } from '../../schema';
import { SECURITY_LABELS, SIDES, textOf } from './client-settings';
import classes from './client-settings-page.module.css';

/** One mailbox's settings on a page to print or copy for its user. It has no password. */
export function ClientSettingsPage({ id }: { id: string }) {
  const utils = trpc.useUtils();
  prefetchDuringRender(() => utils.mailboxes.clientSettings.prefetch({ id }));
  const mailbox = trpc.mailboxes.get.useQuery({ id });
  const settings = trpc.mailboxes.clientSettings.useQuery({ id });
  const parent = { label: mailbox.data?.email ?? 'Mailbox', href: `/mailboxes/${id}` };
  const error = mailbox.error ?? settings.error;

  if (error && !(mailbox.data && settings.data)) {
    const retry = () => void Promise.all([mailbox.refetch(), settings.refetch()]);
    return <LoadFailed parent={parent} title="Mail program settings" error={error} onRetry={retry} />;
  }
  return (
    <Page>
      <div className={classes.screen}>
        <PageHeader
          parent={parent}
          title="Mail program settings"
          description="For the user of the mailbox. Share the password separately."
        >
          <CopyButton value={settings.data ? textOf(settings.data) : ''} label="Copy all" />
          <Button variant="filled" leftSection={<IconPrinter stroke={1.75} />} onClick={() => window.print()}>
            Print
          </Button>
        </PageHeader>
      </div>
      {mailbox.data && settings.data ? (
        <Sheet mailbox={mailbox.data} settings={settings.data} />
      ) : (
        <SettingsSkeleton heights={[360]} />
      )}
    </Page>
  );
}

function Sheet({ mailbox: { email, display_name: name }, settings }: { mailbox: Mailbox; settings: ClientSettings }) {
  return (
    <article className={classes.sheet} aria-label={`Settings for ${email}`}>
      <h2 className="mono">{email}</h2>
      {name && <p className="soft">{name}</p>}
      <p>
        Add an account with this address in your mail program. Most programs set themselves up from the address. If
        yours doesn’t, enter these settings.
      </p>
      <DetailsList>
        <dt>User name</dt>
        <dd className="mono">{settings.user_name}</dd>
        <dt>Password</dt>
        <dd>The one you were given for this mailbox</dd>
      </DetailsList>
      {SIDES.map(({ protocol, name: side }) => (
        <section key={protocol}>
          <h3>
            {side} mail ({protocol.toUpperCase()})
          </h3>
          <DetailsList>
            <dt>Server</dt>
            <dd className="mono">{settings.host}</dd>
            {settings.services
              .filter((service) => service.protocol === protocol)
              .map(({ port, security }, index) => (
                <Service key={port} isFirst={index === 0} port={port} security={SECURITY_LABELS[security]} />
              ))}
          </DetailsList>
        </section>
      ))}
    </article>
  );
}

function Service({ isFirst, port, security }: { isFirst: boolean; port: number; security: string }) {
  return (
    <>
      <dt>{isFirst ? 'Port' : 'Or port'}</dt>
      <dd>
        {port} with {security}
      </dd>
    </>
  );
}
