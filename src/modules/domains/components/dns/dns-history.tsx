'use client';

import { trpc } from '@/components/api/trpc';
import type { DataTableColumn } from '@/components/data-table/data-table';
import { timeLabels } from '@/components/data-table/pagination';
import { NoRows } from '@/components/data-table/states';
import { SectionHeading } from '@/components/layout/section-heading';
import { ExportButton } from '@/components/list/export-csv';
import { ListView } from '@/components/list/list-view';
import { useList } from '@/components/list/use-list';
import { useListSearch } from '@/components/list/use-list-search';
import { StatusMark } from '@/components/marks/status-mark';
import { DateTime } from '@/components/values/date-time';
import { DNS_PURPOSE_TEXTS } from '@/lib/mail/dns-purposes';
import { dnsChangeList } from '../../dns/lists';
import type { DnsChange } from '../../dns/schema';
import type { Domain } from '../../schema';
import classes from './dns.module.css';
import { NarrowName } from './dns-table';
import { relativeName, statusLabel } from './dns-values';

const PAGE_SIZE = 5;

/** The changes in DNS from one check to the next, newest first. */
export function DnsHistory({ domain }: { domain: Domain }) {
  const search = useListSearch({ filters: {} });
  const list = useList(dnsChangeList, trpc.domains.dnsChanges, {
    search,
    input: { id: domain.id },
    limit: PAGE_SIZE,
    isCounted: false,
  });
  return (
    <section aria-labelledby="dns-history">
      <SectionHeading title="DNS changes" id="dns-history">
        <span className="quiet">What changed from one check to the next</span>
        <span className="spacer" />
        <ExportButton list={list} />
      </SectionHeading>
      <ListView
        list={list}
        empty={<NoRows>Nothing has changed since the first check.</NoRows>}
        pageLabels={timeLabels('desc')}
        caption="Changes of DNS records, newest first"
        className={classes.history}
        columns={columnsOf(domain)}
        skeletonRows={3}
      />
    </section>
  );
}

function columnsOf(domain: Domain): DataTableColumn<DnsChange>[] {
  return [
    {
      header: 'State',
      width: 116,
      kind: 'mark',
      mobile: 'mark',
      cell: ({ status }) => (
        <StatusMark status={domain.active || status === 'ok' ? MARKS[status] : 'off'}>{statusLabel(status)}</StatusMark>
      ),
    },
    {
      header: 'Record',
      width: 124,
      mobile: 'lead',
      skeletonWidth: 48,
      cell: ({ purpose, name }) => (
        <>
          <b className="strong">{DNS_PURPOSE_TEXTS[purpose].label}</b>
          <NarrowName name={name} domain={domain} />
        </>
      ),
    },
    {
      header: 'Name',
      width: 172,
      isOptional: true,
      mobile: 'none',
      skeletonWidth: 96,
      cell: ({ name }) => (
        <span className="mono" title={name}>
          {relativeName(name, domain.name)}
        </span>
      ),
    },
    {
      header: 'Before and after',
      mobile: 'under',
      skeletonWidth: 280,
      cell: ({ before, after }) => {
        if (before.length + after.length === 0) return <span className="soft">Only the state changed</span>;
        return (
          <div className={classes.change}>
            <Values
              label="Before"
              values={before.filter((value) => !after.includes(value))}
              isNone={before.length === 0}
            />
            <Values
              label="After"
              values={after.filter((value) => !before.includes(value))}
              isNone={after.length === 0}
            />
          </div>
        );
      },
    },
    {
      header: 'When',
      width: 120,
      kind: 'figure',
      mobile: 'side',
      className: 'soft',
      skeletonWidth: 64,
      cell: ({ at }) => <DateTime iso={at} />,
    },
  ];
}

const MARKS = {
  ok: 'on',
  missing: 'failed',
  mismatch: 'bounced',
  multiple: 'bounced',
  insecure: 'warning',
  temporary_error: 'deferred',
} as const;

function Values({ label, values, isNone }: { label: string; values: string[]; isNone: boolean }) {
  if (values.length === 0 && !isNone) return null;
  return (
    <span className="clip" title={values.join('\n')}>
      <span className="quiet">{label}</span>{' '}
      {isNone ? <span className="soft">nothing</span> : <span className="mono">{values.join(' · ')}</span>}
    </span>
  );
}
