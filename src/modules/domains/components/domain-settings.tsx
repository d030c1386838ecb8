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
import type { Domain } from '../schema';

const MEBIBYTE = 1024 * 1024;
const FIELDS = {
  description: 'description',
  active: 'active',
  max_mailboxes: 'maxMailboxes',
  max_aliases: 'maxAliases',
  default_quota_bytes: 'quotaMb',
  hourly_send_limit: 'hourlyLimit',
};

type DomainSettingsProps = { domain: Domain; isReadOnly: boolean };

export function DomainSettings({ domain, isReadOnly }: DomainSettingsProps) {
  const utils = trpc.useUtils();
  const [problem, setProblem] = useState<Problem | null>(null);
  const form = useForm({ initialValues: initialValues(domain) });
  const update = trpc.domains.update.useMutation({
    onSuccess: async (saved) => {
      utils.domains.get.setData({ id: domain.id }, saved);
      form.setInitialValues(initialValues(saved));
      form.setValues(initialValues(saved));
      await utils.domains.list.invalidate();
    },
    onError: (error) => setProblem(applyFieldErrors(toProblem(error), form, FIELDS)),
  });
  const limit = { disabled: isReadOnly, min: 0, allowDecimal: false, thousandSeparator: ',', hideControls: true };

  return (
    <>
      <form
        noValidate
        onSubmit={form.onSubmit((values) => {
          setProblem(null);
          update.mutate({ id: domain.id, ...changedSettings(values, initialValues(domain)) });
        })}
      >
        <SettingsSection
          title="Domain"
          hint="An inactive domain can’t send or receive mail. Its settings and stored mail are kept."
        >
          <FormColumn>
            <Switch label="Active" disabled={isReadOnly} {...form.getInputProps('active', { type: 'checkbox' })} />
            <TextInput
              label="Description"
              maxLength={500}
              disabled={isReadOnly}
              {...form.getInputProps('description')}
            />
          </FormColumn>
        </SettingsSection>
        <SettingsSection title="Limits" hint="Leave a field empty to use the default.">
          <FormColumn>
            <FieldPair>
              <NumberInput
                label="Mailboxes"
                placeholder="No limit"
                {...limit}
                {...form.getInputProps('maxMailboxes')}
              />
              <NumberInput label="Aliases" placeholder="No limit" {...limit} {...form.getInputProps('maxAliases')} />
            </FieldPair>
            <FieldPair>
              <NumberInput
                label="Mailbox quota (MB)"
                placeholder="No quota"
                {...limit}
                {...form.getInputProps('quotaMb')}
              />
              <NumberInput
                label="Messages per hour"
                placeholder="Server default"
                {...limit}
                {...form.getInputProps('hourlyLimit')}
              />
            </FieldPair>
            <ProblemAlert problem={problem} />
            {isReadOnly ? (
              <p className="soft">Only admins can change these settings.</p>
            ) : (
              <SaveBar
                isDirty={form.isDirty()}
                isSaving={update.isPending}
                isSaved={update.isSuccess}
                onDiscard={form.reset}
              />
            )}
          </FormColumn>
        </SettingsSection>
      </form>
      <UnsavedGuard isDirty={form.isDirty()} what={`You have unsaved changes to ${domain.name}.`} />
    </>
  );
}

type Values = ReturnType<typeof initialValues>;

function initialValues(domain: Domain) {
  const quota = domain.default_quota_bytes;
  return {
    active: domain.active,
    description: domain.description,
    maxMailboxes: domain.max_mailboxes ?? ('' as const),
    maxAliases: domain.max_aliases ?? ('' as const),
    quotaMb: quota === null ? ('' as const) : Math.round(quota / MEBIBYTE),
    hourlyLimit: domain.hourly_send_limit ?? ('' as const),
  };
}

/** Only changed fields: keeps a quota that isn't whole MB exact, and doesn't overwrite concurrent changes. */
function changedSettings(values: Values, before: Values): Partial<Domain> {
  const isChanged = (name: keyof Values) => values[name] !== before[name];
  const quota = numberOrNull(values.quotaMb);
  return {
    ...(isChanged('active') && { active: values.active }),
    ...(isChanged('description') && { description: values.description.trim() }),
    ...(isChanged('maxMailboxes') && { max_mailboxes: numberOrNull(values.maxMailboxes) }),
    ...(isChanged('maxAliases') && { max_aliases: numberOrNull(values.maxAliases) }),
    ...(isChanged('quotaMb') && { default_quota_bytes: quota === null ? null : quota * MEBIBYTE }),
    ...(isChanged('hourlyLimit') && { hourly_send_limit: numberOrNull(values.hourlyLimit) }),
  };
}

function numberOrNull(value: number | ''): number | null {
  return value === '' ? null : value;
}
