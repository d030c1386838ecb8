'use client';

import { useForm } from '@mantine/form';
import { useState } from 'react';
import { applyFieldErrors, type Problem, toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { UnsavedGuard } from '@/components/dialogs/unsaved-guard';
import { FormColumn } from '@/components/layout/form-layout';
import { SaveBar } from '@/components/save-bar';
import { SettingsSection } from '@/components/settings-section';
import type { Admin } from '../schema';
import { RoleFields } from './role-fields';

export function AdminAccess({ admin }: { admin: Admin }) {
  const utils = trpc.useUtils();
  const [problem, setProblem] = useState<Problem | null>(null);
  const form = useForm({ initialValues: initialValues(admin) });
  const update = trpc.admins.update.useMutation({
    onSuccess: async (saved) => {
      utils.admins.get.setData({ id: admin.id }, saved);
      form.setInitialValues(initialValues(saved));
      form.setValues(initialValues(saved));
      await Promise.all([utils.admins.list.invalidate(), utils.auth.me.invalidate()]);
    },
    onError: (error) => setProblem(applyFieldErrors(toProblem(error), form, { role: 'role', domain_ids: 'domainIds' })),
  });

  return (
    <form
      noValidate
      onSubmit={form.onSubmit(({ role, domainIds }) => {
        setProblem(null);
        update.mutate({ id: admin.id, role, domain_ids: domainIds });
      })}
    >
      <SettingsSection title="Access" hint="Takes effect immediately. A new role ends the admin’s sessions.">
        <FormColumn>
          <RoleFields
            role={{ value: form.values.role, onChange: (role) => form.setFieldValue('role', role) }}
            domainIds={form.getInputProps('domainIds')}
            isEmpty={form.values.domainIds.length === 0}
          />
          <ProblemAlert problem={problem} />
          <SaveBar
            isDirty={form.isDirty()}
            isSaving={update.isPending}
            isSaved={update.isSuccess}
            onDiscard={form.reset}
          />
        </FormColumn>
      </SettingsSection>
      <UnsavedGuard isDirty={form.isDirty()} what={`You have unsaved changes to the access of ${admin.email}.`} />
    </form>
  );
}

function initialValues({ role, domain_ids: domainIds }: Admin) {
  return { role, domainIds };
}
