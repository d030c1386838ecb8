'use client';

import { Switch, TextInput } from '@mantine/core';
import { ifUnchanged } from '@/components/api/if-unchanged';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { UnsavedGuard } from '@/components/dialogs/unsaved-guard';
import { ACTIVE } from '@/components/forms/conflicting-fields';
import { QuotaInput, quotaText } from '@/components/forms/quota-input';
import { SaveBar } from '@/components/forms/save-bar';
import { trimmed } from '@/components/forms/use-api-form';
import { useSavedForm } from '@/components/forms/use-saved-form';
import { FieldPair, FormColumn } from '@/components/layout/form-layout';
import { SettingsSection } from '@/components/settings-section';
import { formatBytes } from '@/lib/format';
import { type Mailbox, UpdateMailbox } from '../schema';

const FIELDS = {
  active: ACTIVE,
  display_name: { label: 'Display name' },
  quota_bytes: { label: 'Quota', text: quotaText },
};

export function MailboxDetails({ mailbox }: { mailbox: Mailbox }) {
  const utils = trpc.useUtils();
  const update = trpc.mailboxes.update.useMutation();
  const { form, problem, onSubmit, isDirty, saveBar } = useSavedForm({
    schema: UpdateMailbox,
    saved: mailbox,
    fields: FIELDS,
    toInput: (changes) => ({ id: mailbox.id, ...trimmed(changes, ['display_name']) }),
    submit: (input, loaded) => update.mutateAsync(ifUnchanged('mailbox', loaded, input)),
    onSaved: async (saved) => {
      utils.mailboxes.get.setData({ id: mailbox.id }, saved);
      await utils.mailboxes.list.invalidate();
    },
  });

  const { quota_bytes: quota } = form.values;

  return (
    <form noValidate onSubmit={onSubmit}>
      <SettingsSection
        title="Mailbox"
        hint="An inactive mailbox receives no mail, and nobody can sign in to it. Stored mail is kept."
      >
        <FormColumn>
          <Switch label="Active" {...form.getInputProps('active', { type: 'checkbox' })} />
          <FieldPair>
            <TextInput label="Display name" maxLength={256} {...form.getInputProps('display_name')} />
            <QuotaInput
              label="Quota (MB)"
              placeholder="No quota"
              description={quota === null ? 'No limit' : formatBytes(quota)}
              {...form.getInputProps('quota_bytes')}
            />
          </FieldPair>
          <ProblemAlert problem={problem} />
          <SaveBar {...saveBar} isSecondary={mailbox.suspended} />
        </FormColumn>
      </SettingsSection>
      <UnsavedGuard isDirty={isDirty} what={`You have unsaved changes to ${mailbox.email}.`} />
    </form>
  );
}
