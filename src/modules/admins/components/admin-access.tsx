'use client';

import { useForm } from '@mantine/form';
import { useState } from 'react';
import { landOnFields, type Problem, toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { UnsavedGuard } from '@/components/dialogs/unsaved-guard';
import { Entry } from '@/components/entry';
import { SaveFoot } from '@/components/save-foot';
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
    onError: (error) => setProblem(landOnFields(toProblem(error), form, { role: 'role', domain_ids: 'domainIds' })),
  });

  return (
    <form
      noValidate
      onSubmit={form.onSubmit(({ role, domainIds }) => {
        setProblem(null);
        update.mutate({ id: admin.id, role, domain_ids: domainIds });
      })}
    >
      <Entry title="Access" hint="It counts from their very next request. A new role ends their sessions.">
        <div className="form-column">
          <RoleFields
            role={{ value: form.values.role, onChange: (role) => form.setFieldValue('role', role) }}
            domainIds={form.getInputProps('domainIds')}
            isEmpty={form.values.domainIds.length === 0}
          />
          <ProblemAlert problem={problem} />
          <SaveFoot
            isDirty={form.isDirty()}
            isSaving={update.isPending}
            isSaved={update.isSuccess}
            onUndo={form.reset}
          />
        </div>
      </Entry>
      <UnsavedGuard isDirty={form.isDirty()} what={`The access of ${admin.email} is changed and not saved.`} />
    </form>
  );
}

function initialValues({ role, domain_ids: domainIds }: Admin) {
  return { role, domainIds };
}
