'use client';

import { Button, Stack, TextInput } from '@mantine/core';
import Link from 'next/link';
import { ProblemAlert } from '@/components/api/problem-alert';
import { useSendMessage } from '@/components/api/use-send';
import { useApiForm } from '@/components/forms/use-api-form';
import { StatusMark } from '@/components/marks/status-mark';
import { OutgoingMessage } from '@/modules/sending/schema';
import { Lead } from '../postcard';

type SetupTestSendProps = { email: string; domain: string };

export function SetupTestSend({ email, domain }: SetupTestSendProps) {
  const from = `postmaster@${domain}`;
  const send = useSendMessage();
  const { form, problem, isBusy, onSubmit } = useApiForm({
    schema: OutgoingMessage,
    initialValues: { to: email },
    toInput: ({ to }) => ({
      from: { email: from },
      to: [{ email: to.trim() }],
      subject: 'Test from Postroom',
      text_body: `This message was sent from ${from} to test delivery.\n`,
    }),
    submit: (input) => send.mutateAsync(input),
  });

  if (send.data) {
    return (
      <>
        <h1>Sent</h1>
        <Lead>
          <StatusMark status="sent">The mail server accepted the message.</StatusMark> Its trace shows every hop.
        </Lead>
        <Stack>
          <Button
            component={Link}
            href={`/messages?q=${encodeURIComponent(send.data.message_id)}`}
            variant="filled"
            fullWidth
          >
            View delivery status
          </Button>
          <Button component={Link} href="/" fullWidth>
            Open console
          </Button>
        </Stack>
      </>
    );
  }
  return (
    <>
      <h1>Send a test message</h1>
      <Lead>
        From <span className="mono">{from}</span>
      </Lead>
      <form noValidate onSubmit={onSubmit}>
        <Stack>
          <ProblemAlert problem={problem} />
          <TextInput label="To" type="email" className="mono-input" {...form.getInputProps('to')} />
          <Button variant="filled" type="submit" fullWidth loading={isBusy}>
            Send test
          </Button>
          <Button component={Link} href="/" variant="subtle" color="gray" fullWidth>
            Skip for now
          </Button>
        </Stack>
      </form>
    </>
  );
}
