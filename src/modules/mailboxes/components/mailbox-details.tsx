'use client';

import { NumberInput, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { applyFieldErrors, type Problem, toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { UnsavedGuard } from '@/components/dialogs/unsaved-guard';
import { FieldPair, FormColumn } from '@/components/layout/form-layout';
import { SaveBar } from '@/components/save-bar';
import { SettingsSection } from '@/components/settings-section';
import type { Mailbox } from '../schema';
import { toBytes, toMegabytes } from './mailbox-values';

const FIELDS = { display_name: 'name', quota_bytes: 'quotaMb', active: 'active' };

export function MailboxDetails({ mailbox }: { mailbox: Mailbox }) {
  const utils = trpc.useUtils();
  const [problem, setProblem] = useState<Problem | null>(null);
  const form = useForm({ initialValues: initialValues(mailbox) });
  const update = trpc.mailboxes.update.useMutation({
    onSuccess: async (saved) => {
      utils.mailboxes.get.setData({ id: mailbox.id }, saved);
      form.setInitialValues(initialValues(saved));
      form.setValues(initialValues(saved));
      await utils.mailboxes.list.invalidate();
    },
    onError: (error) => setProblem(applyFieldErrors(toProblem(error), form, FIELDS)),
  });

  return (
    <form
      noValidate
      onSubmit={form.onSubmit(({ active, name, quotaMb }) => {
        setProblem(null);
        // Sends only changed fields: keeps a quota that isn't whole MB exact, and doesn't overwrite concurrent changes.
        update.mutate({
          id: mailbox.id,
          ...(form.isDirty('active') && { active }),
          ...(form.isDirty('name') && { display_name: name.trim() }),
          ...(form.isDirty('quotaMb') && { quota_bytes: quotaMb === '' ? null : toBytes(quotaMb) }),
        });
      })}
    >
      <SettingsSection
        title="Mailbox"
        hint="An inactive mailbox receives no mail, and nobody can sign in to it. Stored mail is kept."
      >
        <FormColumn>
          <Switch label="Active" {...form.getInputProps('active', { type: 'checkbox' })} />
          <FieldPair>
            <TextInput label="Display name" maxLength={256} {...form.getInputProps('name')} />
            <NumberInput
              label="Quota (MB)"
              placeholder="No quota"
              min={0}
              max={8_000_000_000}
              allowDecimal={false}
              thousandSeparator=","
              hideControls
              {...form.getInputProps('quotaMb')}
            />
          </FieldPair>
          <ProblemAlert problem={problem} />
          <SaveBar
            isDirty={form.isDirty()}
            isSaving={update.isPending}
            isSaved={update.isSuccess}
            onDiscard={form.reset}
            isSecondary={mailbox.suspended}
          />
        </FormColumn>
      </SettingsSection>
      <UnsavedGuard isDirty={form.isDirty()} what={`You have unsaved changes to ${mailbox.email}.`} />
    </form>
  );
}

function initialValues({ active, display_name: name, quota_bytes: quota }: Mailbox) {
  return { active, name, quotaMb: toMegabytes(quota) };
}
