'use client';

import { Button, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type FormEvent, useState } from 'react';
import { type Problem, toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { Dialog } from '@/components/dialogs/dialog';
import { StatusMark } from '@/components/marks/status-mark';
import { SettingsSection } from '@/components/settings-section';
import { formatFull, formatMoment } from '@/lib/format';
import type { Mailbox } from '../schema';

export function SuspendedBanner({ mailbox, mayLift }: { mailbox: Mailbox; mayLift: boolean }) {
  const [opened, dialog] = useDisclosure(false);
  const [note, setNote] = useState('');
  const refresh = useRefresh(mailbox.id);
  const lift = trpc.mailboxes.unsuspend.useMutation({
    onSuccess: async () => {
      dialog.close();
      await refresh();
    },
    onError: refresh,
  });
  const { suspended_at: at, suspension_reason: reason, suspension_note: why } = mailbox;

  return (
    <section className="banner" data-tone="failed" aria-label="Suspended">
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
        <b>{reason === 'rate_limit' ? 'It sent more than it may.' : 'An admin stopped it.'}</b>{' '}
        {why && `${ended(why)} `}
        Mail to it still arrives; sending answers <code>403 MAILBOX_SUSPENDED</code>, by SMTP <code>550 5.7.1</code>.{' '}
        {mayLift ? 'Letting it send again sets its hourly count back to zero.' : 'An admin can let it send again.'}
      </p>
      {mayLift && (
        <Button variant="filled" className="spacer" onClick={dialog.open}>
          Let it send again
        </Button>
      )}
      <Dialog
        opened={opened}
        title={`Let ${mailbox.email} send again`}
        action="Let it send again"
        isBusy={lift.isPending}
        onClose={() => {
          lift.reset();
          dialog.close();
        }}
        onSubmit={(event) => {
          event.preventDefault();
          lift.mutate({ id: mailbox.id, note: note.trim() || undefined });
        }}
      >
        <p className="soft">It counts at once. The count of its hour begins anew.</p>
        <TextInput
          label="Note (optional)"
          description="For the audit log, such as what was found"
          maxLength={500}
          data-autofocus
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
        <ProblemAlert problem={lift.error ? toProblem(lift.error) : null} />
      </Dialog>
    </section>
  );
}

export function SuspendMailbox({ mailbox }: { mailbox: Mailbox }) {
  const [opened, dialog] = useDisclosure(false);
  const [reason, setReason] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const refresh = useRefresh(mailbox.id);
  const close = () => {
    setReason('');
    setFault(null);
    setProblem(null);
    dialog.close();
  };
  const suspend = trpc.mailboxes.suspend.useMutation({
    onSuccess: async () => {
      close();
      await refresh();
    },
    onError: (error) => {
      const refused = toProblem(error);
      const [field] = refused.fields;
      if (field?.path === 'reason') setFault(field.message);
      else setProblem(refused);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setFault(reason.trim() === '' ? 'Say why, so that others know.' : null);
    setProblem(null);
    if (reason.trim() !== '') suspend.mutate({ id: mailbox.id, reason: reason.trim() });
  };

  return (
    <SettingsSection title="Sending" hint="For a mailbox whose password is in the wrong hands.">
      <div className="form-column">
        <p className="soft">A suspended mailbox goes on taking mail, and sends nothing until an admin lets it.</p>
        <div>
          <Button className="danger" onClick={dialog.open}>
            Suspend it
          </Button>
        </div>
      </div>
      <Dialog
        opened={opened}
        title={`Suspend ${mailbox.email}`}
        action="Suspend it"
        isBusy={suspend.isPending}
        isDanger
        onClose={close}
        onSubmit={submit}
      >
        <p className="soft">From this moment it sends nothing, by the API or with its password.</p>
        <TextInput
          label="Reason"
          description="Shown on this page to everybody who may see it"
          maxLength={500}
          data-autofocus
          value={reason}
          error={fault}
          onChange={(event) => setReason(event.currentTarget.value)}
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

function ended(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
