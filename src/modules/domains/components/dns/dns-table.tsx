'use client';

import { ActionIcon } from '@mantine/core';
import { Fragment } from 'react';
import { Cell } from '@/components/data-table/cells';
import { DataTable, type DataTableColumn } from '@/components/data-table/data-table';
import { IconChevronDown, IconChevronUp } from '@/components/icons/icons';
import { StatusMark } from '@/components/marks/status-mark';
import { CopyIcon } from '@/components/values/copy-button';
import { DNS_PURPOSE_TEXTS } from '@/lib/mail/dns-purposes';
import type { Domain } from '../../schema';
import classes from './dns.module.css';
import { DnsDetails } from './dns-details';
import { isToPublish, labelOf, markOf, quietMarkOf, recordKey, relativeName } from './dns-values';
import type { DnsRow } from './use-dns';

type DnsTableProps = {
  domain: Domain;
  /** Undefined while they load. */
  rows: DnsRow[] | undefined;
  openKey: string | null;
  onOpen: (key: string | null) => void;
};

export function DnsTable({ domain, rows, openKey, onOpen }: DnsTableProps) {
  const toggle = (row: DnsRow) => onOpen(recordKey(row) === openKey ? null : recordKey(row));
  return (
    <DataTable
      caption="DNS records, problems first"
      className={classes.table}
      columns={columnsOf({ domain, openKey, toggle })}
      rows={rows}
      rowKey={recordKey}
      rowHref={(row) => `/domains/${domain.id}?record=${encodeURIComponent(recordKey(row))}`}
      onOpen={toggle}
      expanded={(row) => (recordKey(row) === openKey ? <DnsDetails record={row} domain={domain.name} /> : null)}
      skeletonRows={9}
    />
  );
}

type Options = { domain: Domain; openKey: string | null; toggle: (row: DnsRow) => void };

function columnsOf({ domain, openKey, toggle }: Options): DataTableColumn<DnsRow>[] {
  return [
    {
      header: 'State',
      width: 116,
      kind: 'mark',
      mobile: 'mark',
      cell: (row) =>
        row.isChecking ? (
          <StatusMark status="pending">Checking</StatusMark>
        ) : (
          <StatusMark status={domain.active ? markOf(row) : quietMarkOf(row)}>{labelOf(row)}</StatusMark>
        ),
    },
    {
      header: 'Record',
      width: 124,
      mobile: 'lead',
      skeletonWidth: 48,
      cell: ({ purpose }) => <b className="strong">{DNS_PURPOSE_TEXTS[purpose].label}</b>,
    },
    {
      header: 'What it does',
      width: 172,
      isOptional: true,
      mobile: 'none',
      skeletonWidth: 120,
      className: 'soft',
      cell: ({ purpose }) => DNS_PURPOSE_TEXTS[purpose].does,
    },
    {
      header: 'Type',
      width: 68,
      isOptional: true,
      mobile: 'none',
      skeletonWidth: 24,
      className: 'mono soft',
      cell: ({ type }) => type,
    },
    {
      header: 'Name',
      width: 188,
      skeletonWidth: 96,
      cell: ({ name }) => (
        <span className="mono" title={name}>
          {relativeName(name, domain.name)}
        </span>
      ),
    },
    {
      header: 'Found',
      mobile: 'under',
      skeletonWidth: 200,
      className: 'soft',
      cell: (row) => (
        <>
          <NarrowName name={row.name} domain={domain} />
          <Found row={row} domain={domain} />
        </>
      ),
    },
    {
      key: 'actions',
      header: <span className="sr-only">Actions</span>,
      width: 84,
      kind: 'tail',
      mobile: 'tail',
      cell: (row) => {
        const isOpen = recordKey(row) === openKey;
        const Chevron = isOpen ? IconChevronUp : IconChevronDown;
        const what = nameOf(row, domain);
        return (
          <Cell>
            <span className="spacer" />
            {row.expected !== null && !isOther(row) && <CopyIcon value={row.expected} what={`the value of ${what}`} />}
            <ActionIcon
              aria-label={`Details of ${what}`}
              aria-expanded={isOpen}
              title={isOpen ? 'Hide details' : 'Show details'}
              onClick={() => toggle(row)}
            >
              <Chevron size={16} stroke={1.5} />
            </ActionIcon>
          </Cell>
        );
      },
    },
  ];
}

const AFTER_DOT = /(?<=\.)/;

/** The name of a record on a line of its own, on a narrow screen, where it has no column. */
export function NarrowName({ name, domain }: { name: string; domain: Domain }) {
  return (
    <span className={`mono ${classes.narrowName}`}>
      {relativeName(name, domain.name)
        .split(AFTER_DOT)
        .map((label, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: labels can be equal, and their order is fixed.
          <Fragment key={index}>
            {index > 0 && <wbr />}
            {label}
          </Fragment>
        ))}
    </span>
  );
}

function nameOf({ purpose, name }: DnsRow, domain: Domain): string {
  return `${DNS_PURPOSE_TEXTS[purpose].label} ${relativeName(name, domain.name)}`;
}

/** Whether another value than the expected one was found. */
function isOther(row: DnsRow): boolean {
  return isToPublish(row) && row.status !== 'unchecked' && row.found.length > 0;
}

/** The published value, above the expected one if they differ. */
function Found({ row, domain }: { row: DnsRow; domain: Domain }) {
  const { found, status, expected } = row;
  if (status === 'unchecked') return null;
  if (found.length === 0) return status === 'temporary_error' ? 'No DNS server answered' : 'Nothing found';
  const isBoth = isOther(row);
  // A cut value could hide the difference.
  const className = isBoth ? classes.whole : 'clip';
  return (
    <div className={classes.change}>
      <span className={className} title={found.join('\n')}>
        {isBoth && 'Found '}
        <span className="mono">{found.join(' · ')}</span>
        {found[0] === NOT_OFFERED && ' Not offered'}
      </span>
      {isBoth && expected !== null && (
        <span className={classes.expected}>
          <span className={className} title={expected}>
            Expected <span className="mono">{expected}</span>
          </span>
          <CopyIcon value={expected} what={`the expected value of ${nameOf(row, domain)}`} />
        </span>
      )}
    </div>
  );
}

/** The value of an SRV record whose service there isn't. */
const NOT_OFFERED = '0 0 0 .';
