'use client';

import { Fragment, type ReactNode } from 'react';
import { prefetchDuringRender } from '@/components/api/prefetch-during-render';
import { trpc } from '@/components/api/trpc';
import { MailboxState } from '@/components/directory/mailbox-columns';
import { LoadFailed } from '@/components/load-failed';
import { NearLink } from '@/components/near-link';
import { PageHeader } from '@/components/page-header';
import { SettingsSection, SettingsSkeleton } from '@/components/settings-section';
import { Page } from '@/components/shell/page';
import { useHasRole } from '@/components/shell/use-has-role';
import type { Mailbox } from '../../schema';
import { MailboxPassword } from '../password/mailbox-password';
import { Sending } from '../suspension';
import { misuseSigns } from './misuse-signs';
import { SentLately } from './sent-lately';
import { SignIns } from './sign-ins';
import { Verdict } from './verdict';

const CRUMB = { label: 'Mailboxes', href: '/mailboxes' };

type MisusePageProps = {
  id: string;
  /** The messages of the mailbox that wait for delivery, of another module. */
  queued: ReactNode;
};

/**
 * All that an admin needs if others may know the password of a mailbox. With signs of it, what to do comes before the facts, in the order
 * in which it is done: suspend, delete what is queued, set a password, look at the filters, and at the end unsuspend.
 */
export function MisusePage({ id, queued }: MisusePageProps) {
  const isAdmin = useHasRole('admin');
  const utils = trpc.useUtils();
  const lately = { id, hours: 24 };
  prefetchDuringRender(() => utils.mailboxes.sentLately.prefetch(lately));
  prefetchDuringRender(() => utils.mailboxes.signIns.prefetch({ id }));
  const { data: mailbox, isError, error, refetch } = trpc.mailboxes.get.useQuery({ id });
  const sent = trpc.mailboxes.sentLately.useQuery(lately);
  const signIns = trpc.mailboxes.signIns.useQuery({ id });

  const signs = mailbox && sent.data ? misuseSigns(mailbox, sent.data, signIns.data?.sign_ins ?? []) : [];

  if (isError && !mailbox) {
    return <LoadFailed parent={CRUMB} title="Check for misuse" error={error} onRetry={() => void refetch()} />;
  }
  return (
    <Page>
      <PageHeader
        parent={{ label: mailbox?.email ?? 'Mailbox', href: `/mailboxes/${id}` }}
        title="Check for misuse"
        description={mailbox && <MailboxState mailbox={mailbox} />}
      />
      {mailbox && isAdmin !== undefined && !sent.isPending && !signIns.isPending ? (
        <>
          {sent.data && <Verdict signs={signs} sent={sent.data} />}
          {inOrder(mailbox, signs, {
            facts: (
              <Fragment key="facts">
                <SentLately mailbox={mailbox} />
                <SignIns mailboxId={mailbox.id} />
              </Fragment>
            ),
            steps: [
              <Fragment key="queued">{isAdmin && queued}</Fragment>,
              <MailboxPassword key="password" mailbox={mailbox} />,
              <OwnerFilters key="filters" />,
            ],
            sending: isAdmin && <Sending key="sending" mailbox={mailbox} />,
          })}
        </>
      ) : (
        <SettingsSkeleton heights={[72, 420, 96, 160, 96, 120]} />
      )}
    </Page>
  );
}

/** The filters that a mail program set by ManageSieve, which the mail server keeps and a new password leaves. */
function OwnerFilters() {
  return (
    <SettingsSection title="Filters of mail programs" hint="A new password doesn’t remove them.">
      <p className="soft">
        Somebody with the password can set a filter with a mail program that forwards all mail, and Postroom doesn’t
        show these.{' '}
        <NearLink href="/docs/access#when-a-stranger-sends-from-a-mailbox">
          List them on the mail server’s host
        </NearLink>
        .
      </p>
    </SettingsSection>
  );
}

type Sections = { facts: ReactNode; steps: ReactNode[]; sending: ReactNode };

/** Each section has a key, so that it keeps what was entered when the order changes. */
function inOrder(mailbox: Mailbox, signs: string[], { facts, steps, sending }: Sections): ReactNode[] {
  if (signs.length === 0) return [facts, ...steps, sending];
  return mailbox.suspended ? [...steps, facts, sending] : [sending, ...steps, facts];
}
