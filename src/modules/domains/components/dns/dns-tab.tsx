'use client';

import { Button, Group } from '@mantine/core';
import { parseAsBoolean, parseAsString, parseAsStringLiteral } from 'nuqs';
import type { ReactNode } from 'react';
import { ErrorState } from '@/components/data-table/states';
import { StatusMark } from '@/components/marks/status-mark';
import { SegmentedControl } from '@/components/segmented-control';
import { useUrlState } from '@/components/url-state';
import { formatPlural } from '@/lib/format';
import { DNS_PURPOSE_TEXTS } from '@/lib/mail/dns-purposes';
import type { Domain } from '../../schema';
import classes from './dns.module.css';
import { DnsHistory } from './dns-history';
import { DnsState } from './dns-state';
import { DnsTable } from './dns-table';
import { isQuietSrv, isToPublish, isUnset, labelOf, markOf, quietMarkOf, recordKey } from './dns-values';
import { RecordFields } from './record-values';
import type { Dns, DnsRow } from './use-dns';

type DnsTabProps = { domain: Domain; dns: Dns; reports: ReactNode };

const VIEW = {
  record: parseAsString,
  view: parseAsStringLiteral(['all', 'publish', 'reports']).withDefault('all'),
  optional: parseAsBoolean.withDefault(false),
};

/** URL parameters that belong to one view, and that are cleared when another is chosen. */
const OF_VIEW = {
  cursor: parseAsString,
  kind: parseAsString,
  period: parseAsString,
  report: parseAsString,
};
const STATE = { ...VIEW, ...OF_VIEW };
const NO_STATE = Object.fromEntries(Object.keys(OF_VIEW).map((name) => [name, null]));

/** The records, or what other servers report about the mail that depends on them. */
export function DnsTab({ domain, dns, reports }: DnsTabProps) {
  const { values, choose, open } = useUrlState(STATE);
  const { record, view, optional } = values;
  const { data, rows, isRunning } = dns;
  const count = rows?.filter(isToPublish).length ?? 0;
  const views = (
    <SegmentedControl
      label="View"
      value={view === 'publish' && count === 0 ? 'all' : view}
      options={{
        all: 'All records',
        ...(count > 0 && { publish: `To publish (${count})` }),
        reports: 'Reports',
      }}
      onChange={(next) => choose({ ...NO_STATE, view: next })}
    />
  );
  if (view === 'reports') {
    return (
      <>
        <Group justify="flex-end" py="md">
          {views}
        </Group>
        {reports}
      </>
    );
  }
  if (!data || !rows) {
    return dns.error ? (
      <ErrorState what="DNS records" error={dns.error} onRetry={dns.refetch} />
    ) : (
      <DnsTable domain={domain} rows={undefined} openKey={null} onOpen={() => undefined} />
    );
  }
  const isShown = (row: DnsRow) => optional || !(isUnset(row) || isQuietSrv(row)) || keyIsOpen(record, row);
  const shown = isRunning ? rows : rows.filter(isShown);
  const isList = view === 'publish' && count > 0;
  return (
    <section aria-label="DNS" className={classes.tab}>
      <DnsState dns={data} isActive={domain.active} isRunning={isRunning} checkError={dns.checkError}>
        {views}
      </DnsState>
      {isList ? (
        <PublishList domain={domain} rows={rows} />
      ) : (
        <DnsTable domain={domain} rows={shown} openKey={record} onOpen={(key) => open({ record: key })} />
      )}
      {!isList && (
        <Footer
          rows={rows}
          shown={shown}
          isOptionalShown={optional}
          onChange={(next) => choose({ optional: next || null })}
        />
      )}
      {data.checked_at !== null && <DnsHistory domain={domain} />}
    </section>
  );
}

function keyIsOpen(key: string | null, { purpose, type, name }: DnsRow): boolean {
  return key === `${purpose}-${type}-${name}`;
}

type FooterProps = {
  rows: DnsRow[];
  shown: DnsRow[];
  isOptionalShown: boolean;
  onChange: (isShown: boolean) => void;
};

/** How many records are shown, and which are not: those of mail programs that were found, and optional ones that aren't set. */
function Footer({ rows, shown, isOptionalShown, onChange }: FooterProps) {
  const unset = rows.filter(isUnset);
  const apps = rows.filter(isQuietSrv).length;
  if (unset.length === 0 && apps === 0) return null;
  const counts = new Map<string, number>();
  for (const { purpose } of unset) {
    const { label } = DNS_PURPOSE_TEXTS[purpose];
    counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  const names = [...counts].map(([label, count]) => (count > 1 ? `${label} (${count})` : label));
  const list = new Intl.ListFormat('en', { type: 'conjunction' }).format(names);
  return (
    <div className={classes.footer}>
      <span>
        {shown.length} of {formatPlural(rows.length, 'record')}.
        {apps > 0 && ` ${formatPlural(apps, 'SRV record')} for mail programs ${apps === 1 ? 'was' : 'were'} found.`}
        {unset.length > 0 && ` ${unset.length} ${unset.length === 1 ? 'is' : 'are'} optional and not set: ${list}.`}
      </span>
      <span className="spacer" />
      <Button onClick={() => onChange(!isOptionalShown)}>
        {isOptionalShown ? 'Show fewer records' : 'Show all records'}
      </Button>
    </div>
  );
}

type PublishListProps = { domain: Domain; rows: DnsRow[] };

/** Every record that is missing or wrong, in the fields that the form of a DNS provider has. */
function PublishList({ domain, rows }: PublishListProps) {
  return (
    <ol className={classes.publish} aria-label="Records to publish">
      {rows.filter(isToPublish).map((record) => (
        <li key={recordKey(record)}>
          <div className={classes.publishHead}>
            <StatusMark status={domain.active ? markOf(record) : quietMarkOf(record)}>{labelOf(record)}</StatusMark>
            <b>{DNS_PURPOSE_TEXTS[record.purpose].label}</b>
            <span className="soft">
              {record.purpose === 'ptr' ? 'At the provider of your server' : DNS_PURPOSE_TEXTS[record.purpose].does}
              {isUnset(record) && ', optional'}
            </span>
          </div>
          <RecordFields record={record} expected={record.expected ?? ''} domain={domain.name} />
        </li>
      ))}
    </ol>
  );
}
