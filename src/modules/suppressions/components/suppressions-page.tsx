'use client';

import { Button, Group } from '@mantine/core';
import { parseAsBoolean, parseAsStringLiteral } from 'nuqs';
import { trpc } from '@/components/api/trpc';
import { PeriodFilter } from '@/components/data-table/filters';
import { EmptyState } from '@/components/data-table/states';
import { lazyDialog } from '@/components/dialogs/lazy-dialog';
import { useDomainScope } from '@/components/directory/use-domain-scope';
import { IconPlus, IconTableImport } from '@/components/icons/icons';
import { ImportExportMenu } from '@/components/list/import-export-menu';
import { ListTools } from '@/components/list/list-view';
import { SearchInput } from '@/components/list/search-input';
import { RANGE, rangeInput } from '@/components/list/since';
import { useList } from '@/components/list/use-list';
import { parseAsText, sortBy, useListSearch } from '@/components/list/use-list-search';
import { Views } from '@/components/list/views/views';
import { notify } from '@/components/notifications';
import { PageHeader } from '@/components/page-header';
import { SegmentedControl } from '@/components/segmented-control';
import { Page } from '@/components/shell/page';
import { formatPlural } from '@/lib/format';
import { SUPPRESSION_LABELS, SUPPRESSION_REASONS } from '@/lib/mail/suppression';
import { suppressionList } from '../lists';
import { SuppressionTable } from './suppression-table';
import { UnreadBounces } from './unread-bounces';

const NewSuppressionDialog = lazyDialog(() =>
  import('./new-suppression-dialog').then((module) => module.NewSuppressionDialog),
);
const ImportDialog = lazyDialog(() => import('./import-dialog').then((module) => module.ImportDialog));

const SEARCH = {
  filters: {
    q: parseAsText,
    reason: parseAsStringLiteral(['all', ...SUPPRESSION_REASONS]).withDefault('all'),
    ...RANGE,
  },
  view: {
    ...sortBy(suppressionList),
    new: parseAsBoolean.withDefault(false),
    import: parseAsBoolean.withDefault(false),
  },
};

export function SuppressionsPage() {
  const search = useListSearch(SEARCH);
  const { values, settled, change, open } = search;
  const utils = trpc.useUtils();
  const { selectedId, selectedDomain, defaultDomain } = useDomainScope();
  const input = {
    q: settled.q || undefined,
    reason: values.reason === 'all' ? undefined : values.reason,
    domain_id: selectedId ?? undefined,
    ...rangeInput(values, search.history.now),
  };
  const filters = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  const list = useList(suppressionList, trpc.suppressions.list, { search, input });
  const openNew = () => open({ new: true });
  const openImport = () => open({ import: true });
  const refreshAndNotify = (text: string) => {
    void utils.suppressions.invalidate();
    notify({ text });
  };

  return (
    <Page>
      <PageHeader
        title="Suppressions"
        description={selectedDomain ? `For ${selectedDomain.name}` : 'Addresses your mail isn’t sent to'}
      >
        <Button variant="filled" leftSection={<IconPlus stroke={2} />} onClick={openNew}>
          Suppress address
        </Button>
      </PageHeader>
      <ListTools
        list={list}
        actions={
          <>
            <Views page="suppressions" />
            <ImportExportMenu list={list} onImport={openImport}>
              {search.isFiltered ? 'Export shown' : 'Export as CSV'}
            </ImportExportMenu>
          </>
        }
      >
        <SearchInput search={search} label="Filter by address" placeholder="Address" w={200} />
        <SegmentedControl
          label="Reason"
          value={values.reason}
          options={{ all: 'All', ...SUPPRESSION_LABELS }}
          narrow="columns"
          onChange={(reason) => change({ reason })}
        />
        <PeriodFilter range={values} onChange={change} />
      </ListTools>
      <SuppressionTable
        list={list}
        filters={filters}
        empty={<NoSuppressions domainName={selectedDomain?.name} onNew={openNew} onImport={openImport} />}
        order={values.order}
      />
      <UnreadBounces domainId={selectedId} />
      <NewSuppressionDialog
        opened={values.new}
        defaultDomain={defaultDomain}
        onClose={() => open({ new: null })}
        onCreated={({ email }) => refreshAndNotify(`Suppressed ${email}`)}
      />
      <ImportDialog
        opened={values.import}
        defaultDomain={defaultDomain}
        onClose={() => open({ import: null })}
        onImported={({ created, failed }) =>
          refreshAndNotify(
            `Imported ${formatPlural(created, 'suppression')}${failed > 0 ? `; ${formatPlural(failed, 'line')} failed` : ''}`,
          )
        }
      />
    </Page>
  );
}

type NoSuppressionsProps = { domainName: string | undefined; onNew: () => void; onImport: () => void };

function NoSuppressions({ domainName, onNew, onImport }: NoSuppressionsProps) {
  return (
    <EmptyState title={domainName ? `No suppressions for ${domainName} yet` : 'No suppressions yet'}>
      <p>
        Messages aren’t sent to suppressed addresses. An address that a receiving server doesn’t know is added when mail
        to it bounces.
      </p>
      <Group pt="md">
        <Button variant="outline" leftSection={<IconPlus stroke={1.75} />} onClick={onNew}>
          Suppress address
        </Button>
        <Button leftSection={<IconTableImport stroke={1.5} />} onClick={onImport}>
          Import CSV
        </Button>
      </Group>
    </EmptyState>
  );
}
