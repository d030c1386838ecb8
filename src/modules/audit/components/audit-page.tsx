'use client';

import { Button, Group, Menu } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { keepPreviousData } from '@tanstack/react-query';
import { trpc } from '@/components/api/trpc';
import { useCursorHistory } from '@/components/data-table/cursor-history';
import { DataTable } from '@/components/data-table/data-table';
import { Pagination } from '@/components/data-table/pagination';
import { EmptyState, ErrorState } from '@/components/data-table/states';
import { PageHeader } from '@/components/page-header';
import { Page } from '@/components/shell/page';
import { useHasRole } from '@/components/shell/use-has-role';
import { auditColumns } from './audit-columns';
import { AuditPeek } from './audit-peek';
import { AuditTools } from './audit-tools';
import { useAuditFilters } from './use-audit-filters';
import { VerifyChain } from './verify-chain';

const REFRESH_MS = 30_000;

export function AuditPage() {
  const search = useAuditFilters();
  const { filters, change, filterBy } = search;
  const history = useCursorHistory();
  const canExport = useHasRole('super_admin');
  const list = trpc.audit.list.useQuery(
    { ...search.input, cursor: history.cursor },
    { placeholderData: keepPreviousData, refetchInterval: history.isFirst ? REFRESH_MS : false },
  );
  const rows = list.data?.items;
  const peeked = rows?.find(({ id }) => id === filters.peek);
  const open = (id: string | null) => change({ peek: id, cursor: filters.cursor });

  return (
    <Page peek={peeked && <AuditPeek key={peeked.id} entry={peeked} onFilter={filterBy} onClose={() => open(null)} />}>
      <PageHeader
        title="Audit log"
        description={canExport === false ? <span>Successful and denied changes in your domains</span> : <VerifyChain />}
      >
        {canExport !== false && <ExportMenu isReady={canExport === true} />}
      </PageHeader>
      <AuditTools {...search} />
      {list.isError && <ErrorState what="the audit log" error={list.error} onRetry={() => void list.refetch()} />}
      {!list.isError && rows?.length === 0 && history.isFirst ? (
        <EmptyState title={search.isFiltered ? 'No matching entries' : 'No entries yet'}>
          <p>
            {search.isFiltered
              ? 'No entries match these filters. Filters match exact values.'
              : 'Every change is recorded here: who made it, from where, and the values before and after.'}
          </p>
          {search.isFiltered && (
            <Group pt="md">
              <Button onClick={search.clear}>Clear filters</Button>
            </Group>
          )}
        </EmptyState>
      ) : (
        !list.isError && (
          <>
            <DataTable
              caption={`Audit log, ${filters.order === 'desc' ? 'newest' : 'oldest'} first`}
              isDense={Boolean(peeked)}
              columns={auditColumns(Boolean(peeked), open)}
              rows={rows}
              rowKey={({ id }) => id}
              isSelected={({ id }) => id === filters.peek}
              isStale={list.isPlaceholderData}
              skeletonRows={12}
              sort={{ field: 'created_at', order: filters.order, onSort: (_, order) => change({ order }) }}
            />
            <Pagination
              page={list.data}
              history={history}
              labels={
                filters.order === 'desc' ? { back: 'Newer', forward: 'Older' } : { back: 'Older', forward: 'Newer' }
              }
            />
          </>
        )
      )}
    </Page>
  );
}

function ExportMenu({ isReady }: { isReady: boolean }) {
  return (
    <Menu>
      <Menu.Target>
        <Button variant="filled" leftSection={<IconDownload stroke={1.75} />} disabled={!isReady}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component="a" href="/api/v1/audit/export" download>
          Export all as NDJSON
        </Menu.Item>
        <Menu.Item component="a" href="/api/v1/audit/export?format=csv" download>
          Export all as CSV
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
