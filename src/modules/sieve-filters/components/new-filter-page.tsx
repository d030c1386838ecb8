'use client';

import { Button } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { applyFieldErrors, type Problem, toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import { UnsavedGuard } from '@/components/dialogs/unsaved-guard';
import { useDomainScope } from '@/components/directory/use-domain-scope';
import { FormFooter } from '@/components/layout/form-layout';
import { PageHeader } from '@/components/page-header';
import { Page } from '@/components/shell/page';
import { useHasRole } from '@/components/shell/use-has-role';
import type { SieveScope, SieveVerdict } from '../schema';
import { verdictOf } from './compile-errors';
import { FIELDS, FilterForm, type FilterValues, VALIDATORS } from './filter-form';
import { FilterSkeleton } from './mail-server-alert';
import { ScopeFields } from './scope-fields';

const EMPTY: FilterValues = { scope: 'mailbox', domainId: '', mailboxId: '', name: '', script: '', active: true };

export function NewFilterPage() {
  const router = useRouter();
  const utils = trpc.useUtils();
  const domainScope = useDomainScope();
  const canUseGlobal = useHasRole('admin');
  const [problem, setProblem] = useState<Problem | null>(null);
  const [saveVerdict, setSaveVerdict] = useState<{ script: string; verdict: SieveVerdict } | null>(null);
  const form = useForm<FilterValues>({
    initialValues: EMPTY,
    validate: {
      ...VALIDATORS,
      domainId: (value, { scope }) =>
        scope === 'domain' && !value && !domainScope.defaultId ? 'Choose a domain.' : null,
      mailboxId: (value, { scope }) => (scope === 'mailbox' && !value ? 'Choose a mailbox.' : null),
    },
  });
  const { scope } = form.values;
  const domainId = form.values.domainId || domainScope.defaultId || '';
  const create = trpc.sieveFilters.create.useMutation({
    onSuccess: async (filter) => {
      form.reset();
      utils.sieveFilters.get.setData({ id: filter.id }, filter);
      router.push(`/sieve-filters/${filter.id}`);
      await utils.sieveFilters.list.invalidate();
    },
    onError: (error, { script }) => {
      const found = toProblem(error);
      const verdict = verdictOf(found);
      setSaveVerdict(verdict && { script, verdict });
      if (found.code === 'DOMAIN_INACTIVE' || found.code === 'DOMAIN_NOT_FOUND') {
        form.setErrors({ [scope === 'mailbox' ? 'mailboxId' : 'domainId']: found.message });
      } else setProblem(applyFieldErrors(found, form, FIELDS));
    },
  });

  return (
    <Page>
      <PageHeader
        title="New filter"
        description="Takes effect with the next message"
        parent={{ label: 'Filters', href: '/sieve-filters' }}
      />
      {canUseGlobal === undefined ? (
        <FilterSkeleton />
      ) : (
        <FilterForm
          form={form}
          saveVerdict={saveVerdict?.script === form.values.script ? saveVerdict.verdict : null}
          problem={problem}
          hint="Filters for all mail run first, then the domain’s, then the mailbox’s."
          scopeFields={
            <ScopeFields
              scope={scope}
              canUseGlobal={canUseGlobal === true}
              domains={domainScope.domains}
              domain={{ ...form.getInputProps('domainId'), value: domainId || null }}
              mailbox={{ ...form.getInputProps('mailboxId'), value: form.values.mailboxId || null }}
              onScopeChange={(next: SieveScope) => form.setFieldValue('scope', next)}
            />
          }
          onSubmit={form.onSubmit(({ name, script, active, mailboxId }) => {
            setProblem(null);
            create.mutate({
              scope,
              name: name.trim(),
              script,
              active,
              ...(scope === 'domain' && { domain_id: domainId }),
              ...(scope === 'mailbox' && { mailbox_id: mailboxId }),
            });
          })}
          footer={
            <FormFooter>
              <Button variant="filled" type="submit" loading={create.isPending}>
                Add filter
              </Button>
              <span className="quiet">The script is checked first. The filter is added at the end.</span>
            </FormFooter>
          }
        />
      )}
      <UnsavedGuard isDirty={form.isDirty() && !create.isSuccess} what="The new filter isn’t saved." />
    </Page>
  );
}
