'use client';

import { useRouter } from 'next/navigation';
import type { ReactNode } from 'react';
import { ifUnchanged } from '@/components/api/if-unchanged';
import { trpc } from '@/components/api/trpc';
import { ErrorState } from '@/components/data-table/states';
import { DeleteSection } from '@/components/dialogs/delete-section';
import { UnsavedGuard } from '@/components/dialogs/unsaved-guard';
import { ACTIVE } from '@/components/forms/conflicting-fields';
import { SaveBar } from '@/components/forms/save-bar';
import { trimmed } from '@/components/forms/use-api-form';
import { useSavedForm } from '@/components/forms/use-saved-form';
import { NearLink } from '@/components/near-link';
import { PageHeader } from '@/components/page-header';
import { RecordTabs } from '@/components/record-tabs';
import { Page } from '@/components/shell/page';
import { useNotifyDeleted } from '@/components/use-notify-deleted';
import { type SieveFilter, UpdateSieveFilter } from '../schema';
import { FilterForm } from './filter-form';
import { scopeNameOf } from './filter-values';
import { FilterSkeleton } from './mail-server-alert';

const PARENT = { label: 'Filters', href: '/sieve-filters' };

type FilterPageProps = {
  id: string;
  /** Who changed it, of another module. */
  history: ReactNode;
};

export function FilterPage({ id, history }: FilterPageProps) {
  const found = trpc.sieveFilters.get.useQuery({ id });
  const filter = found.data;
  return (
    <Page>
      <PageHeader
        hasTabs
        title={filter?.name ?? (found.isError ? 'Filter' : undefined)}
        description={filter ? <Description filter={filter} /> : ' '}
        parent={PARENT}
      />
      <RecordTabs label="Filter" isWaiting={!filter && !found.isError} history={history}>
        {filter && <EditFilter key={filter.id} filter={filter} />}
        {found.isError && !filter && (
          <ErrorState what="this filter" error={found.error} onRetry={() => void found.refetch()} />
        )}
        {!filter && !found.isError && <FilterSkeleton />}
      </RecordTabs>
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
  const update = trpc.sieveFilters.update.useMutation();
  const settings = useSavedForm({
    schema: UpdateSieveFilter,
    saved: filter,
    fields: { name: { label: 'Name' }, script: { label: 'Script' }, active: ACTIVE },
    toInput: (changes) => ({ id: filter.id, ...trimmed(changes, ['name']) }),
    submit: (input, loaded) => update.mutateAsync(ifUnchanged('sieve_filter', loaded, input)),
    onSaved: async (saved) => {
      utils.sieveFilters.get.setData({ id: filter.id }, saved);
      await utils.sieveFilters.list.invalidate();
    },
  });

  return (
    <>
      <FilterForm
        filter={settings}
        scope={filter.scope}
        scopeFields={null}
        hint={
          <>
            What a filter applies to can’t be changed. Its position can, in the{' '}
            <NearLink href={PARENT.href}>list of filters</NearLink>.
          </>
        }
        footer={<SaveBar {...settings.saveBar} />}
      />
      <DeleteFilter filter={filter} />
      <UnsavedGuard isDirty={settings.isDirty} what={`You have unsaved changes to ${filter.name}.`} />
    </>
  );
}

function DeleteFilter({ filter }: { filter: SieveFilter }) {
  const router = useRouter();
  const utils = trpc.useUtils();
  const notifyDeleted = useNotifyDeleted();
  const deletion = trpc.sieveFilters.delete.useMutation({
    onSuccess: async () => {
      notifyDeleted(filter);
      router.push('/sieve-filters');
      await utils.sieveFilters.list.invalidate();
    },
  });

  return (
    <DeleteSection
      hint="Mail that was already filtered stays where it is."
      note="The filter stops running with the next message. To pause it, deactivate it instead."
      action="Delete filter"
      name={filter.name}
      consequence="It can be restored for 30 days under Recently deleted, with its script."
      deletion={deletion}
      onConfirm={() => deletion.mutate(ifUnchanged('sieve_filter', filter, { id: filter.id }))}
    />
  );
}
