'use client';

import { ifUnchanged } from '@/components/api/if-unchanged';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { UnsavedGuard } from '@/components/dialogs/unsaved-guard';
import { SaveBar } from '@/components/forms/save-bar';
import { useSavedForm } from '@/components/forms/use-saved-form';
import { FormColumn } from '@/components/layout/form-layout';
import { SettingsSection } from '@/components/settings-section';
import { type Admin, UpdateAdmin } from '../schema';
import { DomainNames, RoleFields, roleText } from './role-fields';

const FIELDS = {
  role: { label: 'Role', text: roleText },
  domain_ids: { label: 'Assigned domains', text: (ids: string[]) => <DomainNames ids={ids} /> },
};

export function AdminAccess({ admin }: { admin: Admin }) {
  const utils = trpc.useUtils();
  const update = trpc.admins.update.useMutation();
  const { form, problem, onSubmit, isDirty, saveBar } = useSavedForm({
    schema: UpdateAdmin,
    saved: admin,
    fields: FIELDS,
    toInput: (changes) => ({ id: admin.id, ...changes }),
    submit: (input, loaded) => update.mutateAsync(ifUnchanged('admin', loaded, input)),
    onSaved: async (saved) => {
      utils.admins.get.setData({ id: admin.id }, saved);
      await Promise.all([utils.admins.list.invalidate(), utils.auth.me.invalidate()]);
    },
  });

  return (
    <form noValidate onSubmit={onSubmit}>
      <SettingsSection title="Access" hint="Takes effect immediately. A new role ends the admin’s sessions.">
        <FormColumn>
          <RoleFields
            role={{ value: form.values.role, onChange: (role) => form.setFieldValue('role', role) }}
            domainIds={form.getInputProps('domain_ids')}
          />
          <ProblemAlert problem={problem} />
          <SaveBar {...saveBar} />
        </FormColumn>
      </SettingsSection>
      <UnsavedGuard isDirty={isDirty} what={`You have unsaved changes to the access of ${admin.email}.`} />
    </form>
  );
}
