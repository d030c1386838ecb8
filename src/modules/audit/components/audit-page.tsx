'use client';

import { Button, Menu } from '@mantine/core';
import dynamic from 'next/dynamic';
import { useMemo, useState } from 'react';
import { flushSync } from 'react-dom';
import { trpc } from '@/components/api/trpc';
import { timeLabels } from '@/components/data-table/pagination';
import { EmptyState } from '@/components/data-table/states';
import { IconDownload } from '@/components/icons/icons';
import { ExportItem } from '@/components/list/export-csv';
import { ListView } from '@/components/list/list-view';
import { type ShownList, useList } from '@/components/list/use-list';
import { loadPart } from '@/components/load-part';
import { PageHeader } from '@/components/page-header';
import { Page } from '@/components/shell/page';
import { useHasRole } from '@/components/shell/use-has-role';
import { useTimeZone } from '@/components/values/use-time-zone';
import { formatDay, formatZone } from '@/lib/format';
import { auditList } from '../lists';
import type { AuditEntry } from '../schema';
import { auditColumns } from './audit-columns';
import { AuditTools } from './audit-tools';
import { foldRuns, isSend, type Run } from './fold-runs';
import { inputOf, isNarrowed, useAuditSearch } from './use-audit-search';
import { VerifyChain } from './verify-chain';

const AuditPeek = dynamic(() => loadPart(import('./audit-peek').then((module) => module.AuditPeek)));

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
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set());
  useTimeZone();
  const items = list.query.data?.items;
  const joinsSends = !isNarrowed(search);
  const { rows, runs } = useMemo(
    () => foldedRows(foldRuns(items ?? [], { joinsSends }), unfolded, values.peek),
    [items, joinsSends, unfolded, values.peek],
  );
  const unfold = ({ id }: AuditEntry) => {
    flushSync(() => setUnfolded(new Set([...unfolded, id])));
    document.querySelector<HTMLElement>(`[data-row="${id}"]`)?.focus();
  };

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
          canExport === false ? <span>Changes, sign-ins and API sends in your domains</span> : <VerifyChain />
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
          runOf: ({ id }) => runs.get(id),
          onUnfold: unfold,
        })}
        groupOf={({ created_at }) => `${formatDay(created_at)}, ${formatZone()}`}
        onOpen={(entry) => (runs.has(entry.id) && isSend(entry) ? unfold(entry) : open(entry.id))}
        isSelected={({ id }) => id === values.peek}
        skeletonRows={12}
        pageLabels={timeLabels(values.order)}
        groupedRows={runs.size > 0 ? rows.length : undefined}
      />
    </Page>
  );
}

/** The rows of a page, and the runs that some of them stand for. A run that was unfolded or has the peek is shown in full. */
function foldedRows(all: Run[], unfolded: ReadonlySet<string>, peek: string | null) {
  const runs = new Map<string, Run>();
  const rows = all.flatMap((run) => {
    const { entry, others } = run;
    const hasPeek = others.some(({ id }) => id === peek) || (isSend(entry) && entry.id === peek);
    if (others.length === 0 || hasPeek || unfolded.has(entry.id)) return [entry, ...others];
    runs.set(entry.id, run);
    return [entry];
  });
  return { rows, runs };
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
