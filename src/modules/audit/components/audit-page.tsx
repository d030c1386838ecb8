'use client';

import { Button, Menu } from '@mantine/core';
import dynamic from 'next/dynamic';
import { useMemo, useState } from 'react';
import { trpc } from '@/components/api/trpc';
import { timeLabels } from '@/components/data-table/pagination';
import { EmptyState } from '@/components/data-table/states';
import { IconDownload } from '@/components/icons/icons';
import { ExportItem } from '@/components/list/export-csv';
import { ListView } from '@/components/list/list-view';
import { useFocusReturn } from '@/components/list/use-focus-return';
import { type ShownList, useList } from '@/components/list/use-list';
import { PageHeader } from '@/components/page-header';
import { Page } from '@/components/shell/page';
import { useHasRole } from '@/components/shell/use-has-role';
import { auditList } from '../lists';
import type { AuditEntry } from '../schema';
import { auditColumns } from './audit-columns';
import { AuditTools } from './audit-tools';
import { foldRuns } from './fold-runs';
import { inputOf, useAuditSearch } from './use-audit-search';
import { VerifyChain } from './verify-chain';

const AuditPeek = dynamic(() => import('./audit-peek').then((module) => module.AuditPeek));

const REFRESH_MS = 30_000;

export function AuditPage() {
  const search = useAuditSearch();
  const { values, change } = search;
  const canExport = useHasRole('super_admin');
  const list = useList(auditList, trpc.audit.list, {
    search,
    input: inputOf(search),
    refetchInterval: search.history.isFirst && REFRESH_MS,
  });
  const peeked = list.query.data?.items.find(({ id }) => id === values.peek);
  const open = (peek: string | null) => search.open({ peek });
  useFocusReturn(values.peek);
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set());
  const items = list.query.data?.items;
  const { rows, others } = useMemo(
    () => foldedRows(items ?? [], unfolded, values.peek),
    [items, unfolded, values.peek],
  );

  return (
    <Page
      peek={
        peeked && (
          <AuditPeek
            key={peeked.id}
            entry={peeked}
            onFilter={(name, value) => change({ [name]: value })}
            onClose={() => open(null)}
          />
        )
      }
    >
      <PageHeader
        title="Audit log"
        description={
          canExport === false ? <span>Changes, sign-ins and sent messages in your domains</span> : <VerifyChain />
        }
      >
        {canExport !== false && <ExportMenu isReady={canExport === true} list={list} />}
      </PageHeader>
      <AuditTools list={list} search={search} />
      <ListView
        list={list}
        rows={items && rows}
        empty={<NoEntries />}
        noMatches="No entries match these filters. Search by a part of an admin’s address, an action, a name or a request ID."
        caption={`Audit log, ${values.order === 'desc' ? 'newest' : 'oldest'} first`}
        isDense={Boolean(peeked)}
        columns={auditColumns({
          isNarrow: Boolean(peeked),
          onOpen: open,
          othersOf: ({ id }) => others.get(id) ?? 0,
          onUnfold: ({ id }) => setUnfolded(new Set([...unfolded, id])),
        })}
        onOpen={({ id }) => open(id)}
        isSelected={({ id }) => id === values.peek}
        skeletonRows={12}
        pageLabels={timeLabels(values.order)}
      />
    </Page>
  );
}

/** The rows of a page, and how many entries each stands for besides its own. A run that was unfolded or has the peek is shown in full. */
function foldedRows(entries: AuditEntry[], unfolded: ReadonlySet<string>, peek: string | null) {
  const others = new Map<string, number>();
  const rows = foldRuns(entries).flatMap((run) => {
    if (unfolded.has(run.entry.id) || run.others.some(({ id }) => id === peek)) return [run.entry, ...run.others];
    others.set(run.entry.id, run.others.length);
    return [run.entry];
  });
  return { rows, others };
}

function NoEntries() {
  return (
    <EmptyState title="No entries yet">
      <p>Every change is recorded here: who made it, from where, and the values before and after.</p>
    </EmptyState>
  );
}

type ExportMenuProps = { isReady: boolean; list: ShownList<AuditEntry> };

function ExportMenu({ isReady, list }: ExportMenuProps) {
  return (
    <Menu>
      <Menu.Target>
        <Button leftSection={<IconDownload stroke={1.75} />} disabled={!isReady}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <ExportItem list={{ ...list, what: 'audit entries' }}>Export shown as CSV</ExportItem>
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
