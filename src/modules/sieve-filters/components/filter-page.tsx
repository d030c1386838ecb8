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
import { DeleteFilter } from './delete-filter';
import { FAULTS, FIELDS, FilterForm, type FilterValues } from './filter-form';
import { placeOf } from './filter-values';
import { Waiting } from './no-mail-server';
import { refusalIn } from './refusal';

const CRUMB = { label: 'Filters', href: '/sieve-filters' };

export function FilterPage({ id }: { id: string }) {
  const found = trpc.sieveFilters.get.useQuery({ id });
  const filter = found.data;
  return (
    <Page>
      <PageHeader
        title={filter?.name ?? 'Filter'}
        description={filter ? <Lede filter={filter} /> : ' '}
        parent={CRUMB}
      />
      {filter && <EditFilter key={filter.id} filter={filter} />}
      {found.isError && !filter && (
        <ErrorState what="this filter" error={found.error} onRetry={() => void found.refetch()} />
      )}
      {!filter && !found.isError && <Waiting />}
    </Page>
  );
}

function Lede({ filter }: { filter: SieveFilter }) {
  if (filter.scope === 'global') return 'For all mail';
  return (
    <span className="clip">
      For <span className="mono">{placeOf(filter)}</span>
    </span>
  );
}

function EditFilter({ filter }: { filter: SieveFilter }) {
  const utils = trpc.useUtils();
  const [problem, setProblem] = useState<Problem | null>(null);
  const [refused, setRefused] = useState<{ script: string; verdict: SieveVerdict } | null>(null);
  const form = useForm<FilterValues>({ initialValues: initialValues(filter), validate: FAULTS });
  const update = trpc.sieveFilters.update.useMutation({
    onSuccess: async (saved) => {
      utils.sieveFilters.get.setData({ id: filter.id }, saved);
      form.setInitialValues(initialValues(saved));
      form.setValues(initialValues(saved));
      await utils.sieveFilters.list.invalidate();
    },
    onError: (error, { script }) => {
      const found = toProblem(error);
      const verdict = refusalIn(found);
      setRefused(verdict && { script: script ?? filter.script, verdict });
      setProblem(applyFieldErrors(found, form, FIELDS));
    },
  });

  return (
    <>
      <FilterForm
        form={form}
        refused={refused?.script === form.values.script ? refused.verdict : null}
        problem={problem}
        place={null}
        placeHint="Whose mail it runs for stays as it was made; its order is changed in the list."
        onSubmit={form.onSubmit(({ name, script, active }) => {
          setProblem(null);
          // Only what was changed, so that nobody else's change is undone.
          update.mutate({
            id: filter.id,
            ...(form.isDirty('name') && { name: name.trim() }),
            ...(form.isDirty('script') && { script }),
            ...(form.isDirty('active') && { active }),
          });
        })}
        foot={
          <SaveBar
            isDirty={form.isDirty()}
            isSaving={update.isPending}
            isSaved={update.isSuccess}
            onDiscard={form.reset}
          />
        }
      />
      <DeleteFilter filter={filter} />
      <UnsavedGuard isDirty={form.isDirty()} what={`${filter.name} is changed and not saved.`} />
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
