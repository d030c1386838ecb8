'use client';

import { Button, Stack, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { useSendMessage } from '@/components/api/use-send';
import { useApiForm } from '@/components/forms/use-api-form';
import { parseAddress } from '@/lib/mail/address';
import type { Domain } from '@/modules/domains/schema';
import { OutgoingMessage } from '@/modules/sending/schema';

type SendFormProps = {
  domain: Domain;
  /** Without it, the form asks for the address. */
  to?: string;
  children?: ReactNode;
  onSent: (messageId: string) => void;
};

export function SendForm({ domain, to: known = '', children, onSent }: SendFormProps) {
  const from = `postmaster@${domain.name}`;
  const utils = trpc.useUtils();
  const send = useSendMessage();
  // A mailbox may have been created since the last time.
  const resolve = (query: { address: string }) => utils.aliases.resolve.fetch(query, { staleTime: 0 });
  const { form, problem, isBusy, onSubmit } = useApiForm({
    schema: OutgoingMessage,
    initialValues: { to: known },
    toInput: ({ to }) => ({
      from: { email: from },
      to: [{ email: to.trim() }],
      subject: 'Test from Postroom',
      text_body: `This message was sent from ${from} to test delivery.\n`,
    }),
    submit: async (input) => {
      const address = input.to[0]?.email ?? '';
      const isRejected = known === '' && (await hasNoRecipient(address, resolve));
      return isRejected ? null : send.mutateAsync(input);
    },
    onSaved: (sent) => {
      if (sent) {
        onSent(sent.message_id);
        void utils.overview.invalidate();
      } else form.setFieldError('to', NO_RECIPIENT);
    },
  });

  return (
    <form noValidate onSubmit={onSubmit}>
      <Stack>
        <ProblemAlert problem={problem} />
        {children ?? <TextInput label="To" type="email" className="mono-input" {...form.getInputProps('to')} />}
        <Button variant="filled" type="submit" fullWidth loading={isBusy} data-autofocus={children ? true : undefined}>
          Send test
        </Button>
      </Stack>
    </form>
  );
}

const NO_RECIPIENT =
  'No mailbox or alias has this address, so the message would bounce. Choose “A mailbox here”, or use an address at another provider.';

type Resolve = (query: { address: string }) => Promise<{ outcome: string }>;

/** Whether the address is of a domain that is managed here, but nobody receives its mail. */
async function hasNoRecipient(address: string, resolve: Resolve): Promise<boolean> {
  if (!parseAddress(address)) return false;
  try {
    return (await resolve({ address })).outcome === 'rejected';
  } catch (error) {
    // Another server receives the mail.
    if (toProblem(error).code === 'DOMAIN_NOT_FOUND') return false;
    throw error;
  }
}
