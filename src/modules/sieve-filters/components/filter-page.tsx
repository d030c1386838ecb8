'use client';

import { useForm } from '@mantine/form';
import { useState } from 'react';
import { applyFieldErrors, type Problem, toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import { ErrorState } from '@/components/data-table/states';
import { UnsavedGuard } from '@/components/dialogs/unsaved-guard';
import { PageHeader } from '@/components/page-header';
import { SaveBar } from '@/components/save-bar';
import { Page } from '@/components/shell/page';
import type { SieveFilter, SieveVerdict } from '../schema';
import { verdictOf } from './compile-errors';
import { DeleteFilter } from './delete-filter';
import { FIELDS, FilterForm, type FilterValues, VALIDATORS } from './filter-form';
import { scopeNameOf } from './filter-values';
import { FilterSkeleton } from './mail-server-alert';

const PARENT = { label: 'Filters', href: '/sieve-filters' };

export function FilterPage({ id }: { id: string }) {
  const found = trpc.sieveFilters.get.useQuery({ id });
  const filter = found.data;
  return (
    <Page>
      <PageHeader
        title={filter?.name ?? 'Filter'}
        description={filter ? <Description filter={filter} /> : ' '}
        parent={PARENT}
      />
      {filter && <EditFilter key={filter.id} filter={filter} />}
      {found.isError && !filter && (
        <ErrorState what="this filter" error={found.error} onRetry={() => void found.refetch()} />
      )}
      {!filter && !found.isError && <FilterSkeleton />}
    </Page>
  );
}

function Description({ filter }: { filter: SieveFilter }) {
  if (filter.scope === 'global') return 'Applies to all mail';
  return (
    <span className="clip">
      Applies to <span className="mono">{scopeNameOf(filter)}</span>
    </span>
  );
}

function EditFilter({ filter }: { filter: SieveFilter }) {
  const utils = trpc.useUtils();
  const [problem, setProblem] = useState<Problem | null>(null);
  const [saveVerdict, setSaveVerdict] = useState<{ script: string; verdict: SieveVerdict } | null>(null);
  const form = useForm<FilterValues>({ initialValues: initialValues(filter), validate: VALIDATORS });
  const update = trpc.sieveFilters.update.useMutation({
    onSuccess: async (saved) => {
      utils.sieveFilters.get.setData({ id: filter.id }, saved);
      form.setInitialValues(initialValues(saved));
      form.setValues(initialValues(saved));
      await utils.sieveFilters.list.invalidate();
    },
    onError: (error, { script }) => {
      const found = toProblem(error);
      const verdict = verdictOf(found);
      setSaveVerdict(verdict && { script: script ?? filter.script, verdict });
      setProblem(applyFieldErrors(found, form, FIELDS));
    },
  });

  return (
    <>
      <FilterForm
        form={form}
        saveVerdict={saveVerdict?.script === form.values.script ? saveVerdict.verdict : null}
        problem={problem}
        scopeFields={null}
        hint="What a filter applies to can’t be changed. To change its position, use the list of filters."
        onSubmit={form.onSubmit(({ name, script, active }) => {
          setProblem(null);
          // Only changed fields, so that concurrent changes of others are kept.
          update.mutate({
            id: filter.id,
            ...(form.isDirty('name') && { name: name.trim() }),
            ...(form.isDirty('script') && { script }),
            ...(form.isDirty('active') && { active }),
          });
        })}
        footer={
          <SaveBar
            isDirty={form.isDirty()}
            isSaving={update.isPending}
            isSaved={update.isSuccess}
            onDiscard={form.reset}
          />
        }
      />
      <DeleteFilter filter={filter} />
      <UnsavedGuard isDirty={form.isDirty()} what={`You have unsaved changes to ${filter.name}.`} />
    </>
  );
}

function initialValues({
  scope,
  domain_id: domainId,
  mailbox_id: mailboxId,
  name,
  script,
  active,
}: SieveFilter): FilterValues {
  return { scope, domainId: domainId ?? '', mailboxId: mailboxId ?? '', name, script, active };
}
