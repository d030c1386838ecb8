'use client';

import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { useSendMessage } from '@/components/api/use-send';
import { Dialog } from '@/components/dialogs/dialog';
import { notify } from '@/components/notifications';
import type { TemplatePreview } from '../../schema';

type SendTestDialogProps = {
  opened: boolean;
  domain: string;
  /** The admin's own address. */
  to: string;
  text: TemplatePreview;
  onClose: () => void;
};

/** Sends what the preview shows. */
export function SendTestDialog({ opened, domain, to: own, text, onClose }: SendTestDialogProps) {
  const [from, setFrom] = useState(`test@${domain}`);
  const [to, setTo] = useState(own);
  const send = useSendMessage();
  const submit = () => {
    const { subject, html_body: html, text_body } = text;
    const message = { from: { email: from.trim() }, to: [{ email: to.trim() }], subject, transactional: true };
    const bodies = { ...(html && { html_body: html }), ...(text_body && { text_body }) };
    send.mutate(
      { ...message, ...bodies },
      {
        onSuccess: ({ message_id: id }) => {
          onClose();
          const href = `/messages?${new URLSearchParams({ q: id })}`;
          notify({ text: `Sent a test to ${to.trim()}`, link: { label: 'Show message', href } });
        },
      },
    );
  };
  return (
    <Dialog
      opened={opened}
      title="Send a test"
      action="Send test"
      isBusy={send.isPending}
      losesNothing
      onClose={() => {
        send.reset();
        onClose();
      }}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <p className="soft">Sends what the preview shows, with its sample data.</p>
      <TextInput
        label="From"
        className="mono-input"
        inputMode="email"
        autoComplete="off"
        value={from}
        onChange={(event) => setFrom(event.currentTarget.value)}
      />
      <TextInput
        label="To"
        className="mono-input"
        inputMode="email"
        autoComplete="off"
        data-autofocus
        value={to}
        onChange={(event) => setTo(event.currentTarget.value)}
      />
      <ProblemAlert problem={send.error && toProblem(send.error)} title="Couldn’t send the test" />
    </Dialog>
  );
}
