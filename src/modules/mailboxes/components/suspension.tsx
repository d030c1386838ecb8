'use client';

import { Button, Group, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { Dialog } from '@/components/dialogs/dialog';
import { useUrlDialog } from '@/components/dialogs/use-url-dialog';
import { useApiForm } from '@/components/forms/use-api-form';
import { FormColumn } from '@/components/layout/form-layout';
import { StatusMark } from '@/components/marks/status-mark';
import { NearLink } from '@/components/near-link';
import { SettingsSection } from '@/components/settings-section';
import { formatFull, formatMoment } from '@/lib/format';
import { type Mailbox, SuspendMailbox as SuspendInput } from '../schema';
import classes from './suspension.module.css';

export function SuspendedBanner({ mailbox, canUnsuspend }: { mailbox: Mailbox; canUnsuspend: boolean }) {
  const { id, suspended_at: at, suspension_reason: reason, suspension_note: why } = mailbox;
  return (
    <section className={classes.banner} data-tone="failed" aria-label="Suspended">
      <StatusMark status="failed">
        Suspended
        {at && (
          <>
            {' since '}
            <time dateTime={at} title={formatFull(at)}>
              {formatMoment(at)}
            </time>
          </>
        )}
      </StatusMark>
      <p>
        <b>{reason === 'rate_limit' ? 'Hourly sending limit exceeded.' : 'Suspended by an admin.'}</b>{' '}
        {why && `${withPeriod(why)} `}
        It can still receive mail. Sending fails with <code>403 MAILBOX_SUSPENDED</code>, or <code>550 5.7.1</code> over
        SMTP. {!canUnsuspend && 'An admin can unsuspend it.'}
      </p>
      <Button component={NearLink} variant="filled" className="spacer" href={`/mailboxes/${id}/misuse`}>
        Check for misuse
      </Button>
      {canUnsuspend && <Unsuspend mailbox={mailbox} />}
    </section>
  );
}

/** The sending of a mailbox, and what stops it or allows it again. The children are beside the button that stops it. */
export function Sending({ mailbox, children }: { mailbox: Mailbox; children?: ReactNode }) {
  if (!mailbox.suspended) return <SuspendMailbox mailbox={mailbox}>{children}</SuspendMailbox>;
  return (
    <SettingsSection title="Sending" hint="Unsuspend once nobody else knows the password.">
      <FormColumn>
        <p className="soft">The mailbox is suspended: it can receive mail but can’t send.</p>
        <div>
          <Unsuspend mailbox={mailbox} />
        </div>
      </FormColumn>
    </SettingsSection>
  );
}

function Unsuspend({ mailbox }: { mailbox: Mailbox }) {
  const [opened, dialog] = useUrlDialog('unsuspend');
  const [note, setNote] = useState('');
  const refresh = useRefresh(mailbox.id);
  const unsuspend = trpc.mailboxes.unsuspend.useMutation({
    onSuccess: async () => {
      dialog.close();
      await refresh();
    },
    onError: refresh,
  });
  return (
    <>
      <Button onClick={dialog.open}>Unsuspend</Button>
      <Dialog
        opened={opened}
        isInUrl
        title={`Unsuspend ${mailbox.email}`}
        action="Unsuspend"
        isBusy={unsuspend.isPending}
        onClose={() => {
          unsuspend.reset();
          dialog.close();
        }}
        onSubmit={(event) => {
          event.preventDefault();
          unsuspend.mutate({ id: mailbox.id, note: note.trim() || undefined });
        }}
      >
        <p className="soft">Takes effect immediately and resets the hourly count.</p>
        <TextInput
          label="Note (optional)"
          description="Recorded in the audit log"
          maxLength={500}
          data-autofocus
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
        <ProblemAlert problem={unsuspend.error ? toProblem(unsuspend.error) : null} />
      </Dialog>
    </>
  );
}

function SuspendMailbox({ mailbox, children }: { mailbox: Mailbox; children: ReactNode }) {
  const [opened, dialog] = useUrlDialog('suspend');
  const refresh = useRefresh(mailbox.id);
  const suspend = trpc.mailboxes.suspend.useMutation();
  const { form, problem, isBusy, onSubmit, reset } = useApiForm({
    schema: SuspendInput,
    initialValues: { reason: '' },
    toInput: ({ reason }) => ({ id: mailbox.id, reason: reason.trim() }),
    submit: (input) => suspend.mutateAsync(input),
    onSaved: async () => {
      close();
      await refresh();
    },
  });
  const close = () => {
    reset();
    dialog.close();
  };

  return (
    <SettingsSection title="Sending" hint="Suspend sending if the password may be compromised.">
      <FormColumn>
        <p className="soft">A suspended mailbox can still receive mail but can’t send until an admin unsuspends it.</p>
        <Group>
          <Button className="danger" onClick={dialog.open}>
            Suspend mailbox
          </Button>
          {children}
        </Group>
      </FormColumn>
      <Dialog
        opened={opened}
        isInUrl
        title={`Suspend ${mailbox.email}`}
        action="Suspend mailbox"
        isBusy={isBusy}
        isDanger
        onClose={close}
        onSubmit={onSubmit}
      >
        <p className="soft">Takes effect immediately. The mailbox can’t send mail through the API or SMTP.</p>
        <TextInput
          label="Reason"
          description="Shown on this page to everyone with access to the mailbox"
          maxLength={500}
          data-autofocus
          {...form.getInputProps('reason')}
        />
        <ProblemAlert problem={problem} />
      </Dialog>
    </SettingsSection>
  );
}

function useRefresh(id: string) {
  const utils = trpc.useUtils();
  return async () => {
    await Promise.all([utils.mailboxes.get.invalidate({ id }), utils.mailboxes.list.invalidate()]);
  };
}

function withPeriod(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
