'use client';

import { TextInput } from '@mantine/core';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { Dialog } from '@/components/dialogs/dialog';
import { AddressFields } from '@/components/directory/address-fields';
import { PasswordField } from '@/components/forms/password-field';
import { QuotaInput } from '@/components/forms/quota-input';
import { trimmed, useApiForm } from '@/components/forms/use-api-form';
import { FieldPair } from '@/components/layout/form-layout';
import type { DomainChoice } from '@/components/pickers/domain-picker';
import { CreateMailbox, type Mailbox } from '../../schema';
import { GeneratedPasswordDialog } from '../password/generated-password-dialog';

const EMPTY = {
  local_part: '',
  domain_id: '',
  password: '',
  display_name: '',
  quota_bytes: null as number | null,
};

type NewMailboxDialogProps = {
  opened: boolean;
  defaultDomain: DomainChoice | undefined;
  defaultLocalPart: string;
  onClose: () => void;
};

export function NewMailboxDialog(props: NewMailboxDialogProps) {
  const { opened, defaultDomain, defaultLocalPart, onClose } = props;
  const router = useRouter();
  const utils = trpc.useUtils();
  const [chosenDomain, setChosenDomain] = useState<typeof defaultDomain>();
  const [generated, setGenerated] = useState<string | null>(null);
  const [created, setCreated] = useState<{ mailbox: Mailbox; password: string } | null>(null);
  const create = trpc.mailboxes.create.useMutation();
  const { form, problem, isBusy, onSubmit } = useApiForm({
    schema: CreateMailbox,
    initialValues: { ...EMPTY, local_part: defaultLocalPart },
    toInput: (values) => ({
      ...trimmed(values, ['local_part', 'display_name']),
      domain_id: values.domain_id || (defaultDomain?.id ?? ''),
      // Omitted, it is the domain's default; null would be no quota.
      quota_bytes: values.quota_bytes ?? undefined,
    }),
    submit: (input) => create.mutateAsync(input),
    onSaved: async (mailbox, { password }) => {
      utils.mailboxes.get.setData({ id: mailbox.id }, mailbox);
      await Promise.all([utils.mailboxes.list.invalidate(), utils.domains.invalidate()]);
      if (password === generated) setCreated({ mailbox, password });
      else router.push(`/mailboxes/${mailbox.id}`);
    },
  });

  if (created) {
    return (
      <GeneratedPasswordDialog
        mailbox={created.mailbox}
        password={created.password}
        onStored={() => router.push(`/mailboxes/${created.mailbox.id}`)}
      />
    );
  }
  return (
    <Dialog
      opened={opened}
      isInUrl
      title="New mailbox"
      action="Create mailbox"
      isBusy={isBusy}
      onClose={onClose}
      onSubmit={onSubmit}
    >
      <AddressFields
        label="Address"
        local={form.getInputProps('local_part')}
        domain={{
          ...form.getInputProps('domain_id'),
          value: form.values.domain_id || defaultDomain?.id,
          known: defaultDomain,
          onChange: (id, chosen) => {
            form.setFieldValue('domain_id', id ?? '');
            setChosenDomain(chosen ?? undefined);
          },
        }}
      />
      <PasswordField
        label="Password"
        account={`${form.values.local_part}@${(chosenDomain ?? defaultDomain)?.name ?? ''}`}
        {...form.getInputProps('password')}
        value={form.values.password}
        onGenerate={setGenerated}
      />
      <FieldPair>
        <TextInput
          label="Display name (optional)"
          placeholder="Ann Field"
          maxLength={256}
          {...form.getInputProps('display_name')}
        />
        <QuotaInput label="Quota (MB)" placeholder="Use the domain default" {...form.getInputProps('quota_bytes')} />
      </FieldPair>
      <ProblemAlert problem={problem} />
    </Dialog>
  );
}
