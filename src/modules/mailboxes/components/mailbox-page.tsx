'use client';

import { Button } from '@mantine/core';
import { useRouter } from 'next/navigation';
import type { ReactNode } from 'react';
import { ifUnchanged } from '@/components/api/if-unchanged';
import { prefetchDuringRender } from '@/components/api/prefetch-during-render';
import { trpc } from '@/components/api/trpc';
import { DeleteSection } from '@/components/dialogs/delete-section';
import { MailboxState } from '@/components/directory/mailbox-columns';
import { StorageGauge } from '@/components/directory/storage';
import { IconMail } from '@/components/icons/icons';
import { LoadFailed } from '@/components/load-failed';
import { NearLink } from '@/components/near-link';
import { PageHeader } from '@/components/page-header';
import { RecordTabs } from '@/components/record-tabs';
import { SettingsSection, SettingsSkeleton } from '@/components/settings-section';
import { Page } from '@/components/shell/page';
import { useHasRole } from '@/components/shell/use-has-role';
import { useNotifyDeleted } from '@/components/use-notify-deleted';
import { formatBytes, formatDay } from '@/lib/format';
import type { Mailbox } from '../schema';
import { ClientSettings } from './client-settings/client-settings';
import { DeliveringAliases } from './delivering-aliases';
import { MailboxDetails } from './mailbox-details';
import classes from './mailbox-page.module.css';
import { MailboxPassword } from './password/mailbox-password';
import { Sending, SuspendedBanner } from './suspension';

const CRUMB = { label: 'Mailboxes', href: '/mailboxes' };

type MailboxPageProps = {
  id: string;
  /** The parts of other modules: what the mailbox sent, and who changed it. */
  sent: ReactNode;
  history: ReactNode;
};

export function MailboxPage({ id, sent, history }: MailboxPageProps) {
  const canSuspend = useHasRole('admin');
  const utils = trpc.useUtils();
  prefetchDuringRender(() => utils.mailboxes.clientSettings.prefetch({ id }));
  const { data: mailbox, isError, error, refetch } = trpc.mailboxes.get.useQuery({ id });

  if (isError && !mailbox) {
    return <LoadFailed parent={CRUMB} title="Mailbox" error={error} onRetry={() => void refetch()} />;
  }
  return (
    <Page>
      <PageHeader
        hasTabs
        parent={CRUMB}
        title={mailbox?.email}
        mono
        description={
          mailbox && (
            <>
              <MailboxState mailbox={mailbox} />
              {mailbox.display_name && <span>{mailbox.display_name}</span>}
              <span className="only-wide">Added {formatDay(mailbox.created_at)}</span>
            </>
          )
        }
      >
        {mailbox && (
          <Button
            component={NearLink}
            href={`/messages?q=${encodeURIComponent(mailbox.email)}`}
            leftSection={<IconMail stroke={1.5} />}
          >
            Messages
          </Button>
        )}
      </PageHeader>
      <RecordTabs label="Mailbox" isWaiting={!mailbox} history={history}>
        {mailbox && canSuspend !== undefined ? (
          <>
            {mailbox.suspended && <SuspendedBanner mailbox={mailbox} canUnsuspend={canSuspend} />}
            <Storage mailbox={mailbox} />
            <MailboxDetails key={mailbox.id} mailbox={mailbox} />
            <DeliveringAliases mailbox={mailbox}>
              <ClientSettings mailboxId={mailbox.id} />
              <MailboxPassword mailbox={mailbox} />
              {sent}
              {canSuspend && !mailbox.suspended && (
                <Sending mailbox={mailbox}>
                  <Button component={NearLink} href={`/mailboxes/${id}/misuse`}>
                    Check for misuse
                  </Button>
                </Sending>
              )}
              <DeleteMailbox mailbox={mailbox} />
            </DeliveringAliases>
          </>
        ) : (
          <SettingsSkeleton heights={[88, 264, 96]} />
        )}
      </RecordTabs>
    </Page>
  );
}

function Storage({ mailbox }: { mailbox: Mailbox }) {
  const percent = mailbox.percent_full;
  const isUnderOne = percent === 0 && mailbox.used_bytes > 0;
  return (
    <SettingsSection title="Storage" hint={percent === null ? 'No storage limit.' : 'A full mailbox rejects new mail.'}>
      <p className={classes.used}>
        <b>{formatBytes(mailbox.used_bytes)}</b>
        {mailbox.quota_bytes === null
          ? ' used, no quota'
          : ` of ${formatBytes(mailbox.quota_bytes)}, ${isUnderOne ? 'under 1' : percent}% full`}
      </p>
      {percent !== null && <StorageGauge percent={percent} isWide />}
    </SettingsSection>
  );
}

function DeleteMailbox({ mailbox }: { mailbox: Mailbox }) {
  const router = useRouter();
  const utils = trpc.useUtils();
  const notifyDeleted = useNotifyDeleted();
  const deletion = trpc.mailboxes.delete.useMutation({
    onSuccess: async () => {
      notifyDeleted({ id: mailbox.id, name: mailbox.email });
      router.push('/mailboxes');
      await Promise.all([
        utils.mailboxes.list.invalidate(),
        utils.domains.invalidate(),
        utils.aliases.invalidate(),
        utils.overview.invalidate(),
      ]);
    },
  });

  return (
    <DeleteSection
      hint="The mail stays on the mail server, and the message history is kept. The mailbox can be restored for 30 days."
      note="Deleting ends all sign-ins. To pause the mailbox, deactivate it instead."
      action="Delete mailbox"
      name={mailbox.email}
      typeToConfirm={mailbox.email}
      consequence="New mail to this address is rejected, or goes to an alias or catch-all if there is one. It can be restored for 30 days under Recently deleted."
      deletion={deletion}
      onConfirm={() => deletion.mutate(ifUnchanged('mailbox', mailbox, { id: mailbox.id }))}
    />
  );
}
