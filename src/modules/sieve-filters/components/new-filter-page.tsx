'use client';

import { Button } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { applyFieldErrors, type Problem, toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import { UnsavedGuard } from '@/components/dialogs/unsaved-guard';
import { useDomainScope } from '@/components/directory/use-domain-scope';
import { PageHeader } from '@/components/page-header';
import { Page } from '@/components/shell/page';
import { useHasRole } from '@/components/shell/use-has-role';
import type { SieveScope, SieveVerdict } from '../schema';
import { FAULTS, FIELDS, FilterForm, type FilterValues } from './filter-form';
import { Waiting } from './no-mail-server';
import { PlaceFields } from './place-fields';
import { refusalIn } from './refusal';

const EMPTY: FilterValues = { scope: 'mailbox', domainId: '', mailboxId: '', name: '', script: '', active: true };

export function NewFilterPage() {
  const router = useRouter();
  const utils = trpc.useUtils();
  const reach = useDomainScope();
  const mayGlobal = useHasRole('admin');
  const [problem, setProblem] = useState<Problem | null>(null);
  const [refused, setRefused] = useState<{ script: string; verdict: SieveVerdict } | null>(null);
  const form = useForm<FilterValues>({
    initialValues: EMPTY,
    validate: {
      ...FAULTS,
      domainId: (value, { scope }) => (scope === 'domain' && !value && !reach.defaultId ? 'Choose a domain.' : null),
      mailboxId: (value, { scope }) => (scope === 'mailbox' && !value ? 'Choose a mailbox.' : null),
    },
  });
  const { scope } = form.values;
  const domainId = form.values.domainId || reach.defaultId || '';
  const create = trpc.sieveFilters.create.useMutation({
    onSuccess: async (filter) => {
      form.reset();
      utils.sieveFilters.get.setData({ id: filter.id }, filter);
      router.push(`/sieve-filters/${filter.id}`);
      await utils.sieveFilters.list.invalidate();
    },
    onError: (error, { script }) => {
      const found = toProblem(error);
      const verdict = refusalIn(found);
      setRefused(verdict && { script, verdict });
      if (found.code === 'DOMAIN_INACTIVE' || found.code === 'DOMAIN_NOT_FOUND') {
        form.setErrors({ [scope === 'mailbox' ? 'mailboxId' : 'domainId']: found.message });
      } else setProblem(applyFieldErrors(found, form, FIELDS));
    },
  });

  return (
    <Page>
      <PageHeader
        title="New filter"
        description="It runs from the next message on"
        parent={{ label: 'Filters', href: '/sieve-filters' }}
      />
      {mayGlobal === undefined ? (
        <Waiting />
      ) : (
        <FilterForm
          form={form}
          refused={refused?.script === form.values.script ? refused.verdict : null}
          problem={problem}
          placeHint="Filters for all mail run first, then those of the domain, then those of the mailbox."
          place={
            <PlaceFields
              scope={scope}
              mayGlobal={mayGlobal === true}
              domains={reach.domains}
              domain={{ ...form.getInputProps('domainId'), value: domainId || null }}
              mailbox={{ ...form.getInputProps('mailboxId'), value: form.values.mailboxId || null }}
              onScope={(next: SieveScope) => form.setFieldValue('scope', next)}
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
          foot={
            <div className="form-footer">
              <Button variant="filled" type="submit" loading={create.isPending}>
                Add the filter
              </Button>
              <span className="quiet">It is checked first, and runs last of its place.</span>
            </div>
          }
        />
      )}
      <UnsavedGuard isDirty={form.isDirty() && !create.isSuccess} what="The new filter is not saved." />
    </Page>
  );
}
