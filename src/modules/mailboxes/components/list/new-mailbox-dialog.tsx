'use client';

import { NumberInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { applyFieldErrors, type Problem, toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { Dialog } from '@/components/dialogs/dialog';
import { AddressFields } from '@/components/directory/address-fields';
import { FieldPair } from '@/components/layout/form-layout';
import { passwordError } from '@/lib/password';
import type { Mailbox } from '../../schema';
import { localPartError, toBytes } from '../mailbox-values';
import { GeneratedPasswordDialog } from '../password/generated-password-dialog';
import { PasswordField } from '../password/password-field';

const EMPTY = { local: '', domainId: '', password: '', name: '', quotaMb: '' as number | '' };
const FIELDS = {
  local_part: 'local',
  domain_id: 'domainId',
  password: 'password',
  display_name: 'name',
  quota_bytes: 'quotaMb',
};

type NewMailboxDialogProps = {
  opened: boolean;
  domains: { id: string; name: string }[];
  defaultDomainId: string | undefined;
  onClose: () => void;
};

export function NewMailboxDialog({ opened, domains, defaultDomainId, onClose }: NewMailboxDialogProps) {
  const router = useRouter();
  const utils = trpc.useUtils();
  const [problem, setProblem] = useState<Problem | null>(null);
  const [generated, setGenerated] = useState<string | null>(null);
  const [created, setCreated] = useState<{ mailbox: Mailbox; password: string } | null>(null);
  const form = useForm({
    initialValues: EMPTY,
    validate: {
      local: localPartError,
      domainId: (value) => (value || defaultDomainId ? null : 'Choose a domain.'),
      password: passwordError,
    },
  });
  const domainId = form.values.domainId || defaultDomainId || '';

  const clear = () => {
    form.reset();
    setProblem(null);
    setGenerated(null);
  };
  const create = trpc.mailboxes.create.useMutation({
    onSuccess: async (mailbox, { password }) => {
      utils.mailboxes.get.setData({ id: mailbox.id }, mailbox);
      await Promise.all([utils.mailboxes.list.invalidate(), utils.domains.invalidate()]);
      clear();
      if (password === generated) setCreated({ mailbox, password });
      else router.push(`/mailboxes/${mailbox.id}`);
    },
    onError: (error) => {
      const failure = toProblem(error);
      const isDomain = failure.code === 'DOMAIN_INACTIVE' || failure.code === 'DOMAIN_NOT_FOUND';
      if (isDomain) form.setErrors({ domainId: failure.message });
      else setProblem(applyFieldErrors(failure, form, FIELDS));
    },
  });

  if (created) {
    return (
      <GeneratedPasswordDialog
        email={created.mailbox.email}
        password={created.password}
        onStored={() => router.push(`/mailboxes/${created.mailbox.id}`)}
      />
    );
  }
  return (
    <Dialog
      opened={opened}
      title="New mailbox"
      action="Create mailbox"
      isBusy={create.isPending}
      onClose={() => {
        clear();
        onClose();
      }}
      onSubmit={form.onSubmit(({ local, password, name, quotaMb }) => {
        setProblem(null);
        create.mutate({
          domain_id: domainId,
          local_part: local.trim(),
          password,
          display_name: name.trim(),
          ...(quotaMb !== '' && { quota_bytes: toBytes(quotaMb) }),
        });
      })}
    >
      <AddressFields
        label="Address"
        domains={domains}
        local={form.getInputProps('local')}
        domain={{ ...form.getInputProps('domainId'), value: domainId || null }}
      />
      <PasswordField
        label="Password"
        {...form.getInputProps('password')}
        value={form.values.password}
        onGenerate={setGenerated}
      />
      <FieldPair>
        <TextInput
          label="Display name (optional)"
          placeholder="Ann Field"
          maxLength={256}
          {...form.getInputProps('name')}
        />
        <NumberInput
          label="Quota (MB)"
          placeholder="Use the domain default"
          min={0}
          max={8_000_000_000}
          allowDecimal={false}
          thousandSeparator=","
          hideControls
          {...form.getInputProps('quotaMb')}
        />
      </FieldPair>
      <ProblemAlert problem={problem} />
    </Dialog>
  );
}
