'use client';

import { Select } from '@mantine/core';
import { DataTable, type DataTableColumn } from '@/components/data-table/data-table';
import { NoRows } from '@/components/data-table/states';
import { SectionHeading } from '@/components/layout/section-heading';
import { Gauge } from '@/components/marks/gauge';
import { STATUSES, StatusMark } from '@/components/marks/status-mark';
import { formatCount } from '@/lib/format';
import { INBOUND, type ListedFigure, messagesHref, OUTBOUND } from '@/lib/messages-href';
import { isManyBounces, MANY_BOUNCES_TEXT } from '@/lib/texts/figure-texts';
import type { Analytics, BreakdownEntry, Dimension } from '../schema';
import classes from './analytics.module.css';
import { CountLink } from './count-link';
import { byName, DIMENSION_NAMES, formatRate } from './labels';

const HOUR_MS = 3_600_000;
const OPTIONS = Object.entries(DIMENSION_NAMES).map(([value, name]) => ({ value, label: byName(name) }));

type BreakdownProps = {
  analytics: Analytics;
  domain: string | null;
  by: Dimension;
  isStale: boolean;
  onBy: (by: Dimension) => void;
};

/** The largest values of a dimension. */
export function Breakdown({ analytics, domain, by, isStale, onBy }: BreakdownProps) {
  const { dimension, breakdown } = analytics;
  const shown = dimension ?? by;
  return (
    <section aria-labelledby="breakdown">
      <SectionHeading title="Breakdown" id="breakdown">
        <span className="quiet">
          {WHAT[shown] ?? 'Recipients of outbound messages'}, the largest first
          {breakdown.some((entry) => hasManyBounces(entry, shown)) && `. ${MANY_BOUNCES_TEXT}`}
        </span>
        <span className="spacer" />
        <Select
          aria-label="Break down by"
          w={176}
          allowDeselect={false}
          data={OPTIONS}
          value={by}
          onChange={(value) => onBy((value as Dimension | null) ?? by)}
        />
      </SectionHeading>
      {breakdown.length === 0 ? (
        <NoRows>{EMPTY[shown] ?? 'Nothing sent in this period.'}</NoRows>
      ) : (
        <DataTable
          caption={`${WHAT[shown] ?? 'Recipients of outbound messages'} by ${DIMENSION_NAMES[shown]}`}
          columns={columnsOf({ analytics, domain, dimension: shown })}
          rows={breakdown.toSorted(byShownSize)}
          rowKey={({ value }) => value ?? ''}
          isStale={isStale}
        />
      )}
    </section>
  );
}

const WHAT: Partial<Record<Dimension, string>> = {
  domain: 'Messages',
  sender: 'Outbound messages',
  api_key: 'Outbound messages',
  tag: 'Outbound messages',
};

const EMPTY: Partial<Record<Dimension, string>> = {
  api_key: 'Nothing sent with an API key in this period.',
  category: 'Nothing deferred, bounced or failed in this period.',
  tag: 'Nothing sent with tags in this period.',
  smtp_code: 'No replies from receiving servers in this period.',
};

function sizeName(dimension: Dimension): string {
  return dimension in WHAT ? 'Messages' : 'Recipients';
}

type Shown = { analytics: Analytics; domain: string | null; dimension: Dimension };

function columnsOf(shown: Shown): DataTableColumn<BreakdownEntry>[] {
  const { breakdown } = shown.analytics;
  const largest = Math.max(...breakdown.filter(({ value }) => value !== null).map(sizeOf), 1);
  return [
    {
      key: 'value',
      header: DIMENSION_NAMES[shown.dimension],
      mobile: 'lead',
      cell: (entry) => (
        <span className={entry.value === null ? 'quiet' : MONO.has(shown.dimension) ? 'mono clip' : 'clip'}>
          {nameOf(entry, shown.dimension)}
        </span>
      ),
    },
    {
      key: 'share',
      header: sizeName(shown.dimension),
      width: 152,
      isOptional: true,
      cell: (entry) => (
        <span className={classes.size}>
          <span>{formatCount(sizeOf(entry))}</span>
          {entry.value !== null && <Gauge percent={(100 * sizeOf(entry)) / largest} tone="postmark" isWide />}
        </span>
      ),
    },
    ...figuresIn(shown.dimension).map(
      (name, index): DataTableColumn<BreakdownEntry> => ({
        key: name,
        header: STATUSES[name][2],
        width: 76,
        kind: 'figure',
        mobile: index === 0 ? 'side' : 'none',
        cell: (entry) => (
          <>
            {name === 'bounced' && hasManyBounces(entry, shown.dimension) ? (
              <StatusMark status="bounced">
                <CountLink count={entry[name]} href={hrefOf(name, entry, shown)} />
              </StatusMark>
            ) : (
              <CountLink count={entry[name]} href={hrefOf(name, entry, shown)} />
            )}
            <span className="only-narrow">&nbsp;{STATUSES[name][2].toLowerCase()}</span>
          </>
        ),
      }),
    ),
    ...(shown.dimension === 'category' ? [] : [deliveredColumn(shown.dimension)]),
  ];
}

function deliveredColumn(dimension: Dimension): DataTableColumn<BreakdownEntry> {
  return {
    header: 'Delivery rate',
    width: 96,
    kind: 'figure',
    mobile: 'under',
    cell: (entry) => (
      <>
        {formatRate(entry.delivery_rate)}
        <span className="only-narrow">
          &nbsp;delivered
          {entry.received > 0 && `, ${formatCount(entry.received)} received`}
          {hasManyBounces(entry, dimension) && (
            <>
              ,&nbsp;<StatusMark status="bounced">{`${formatCount(entry.bounced)} bounced`}</StatusMark>
            </>
          )}
        </span>
      </>
    ),
  };
}

/** Under an SMTP code or a reason, all recipients have the same result. */
function hasManyBounces(entry: BreakdownEntry, dimension: Dimension): boolean {
  return dimension !== 'smtp_code' && dimension !== 'category' && entry.value !== null && isManyBounces(entry);
}

/** Only some recipients have a reason. */
function figuresIn(dimension: Dimension): readonly ListedFigure[] {
  if (dimension === 'category') return ['deferred', 'bounced', 'failed'];
  return dimension === 'domain' ? [...OUTBOUND, ...INBOUND] : OUTBOUND;
}

const MONO: ReadonlySet<Dimension> = new Set(['domain', 'sender', 'recipient_domain', 'smtp_code', 'tag']);

/** Returns the count that a bar shows, including messages that were never accepted. */
function sizeOf({ sent, failed, delivered, bounced, deferred, received, spam }: BreakdownEntry): number {
  return Math.max(sent, failed + delivered + bounced + deferred) + received + spam;
}

/** The order of the sizes that are shown, which lack inbound messages that weren't delivered. All others are last. */
function byShownSize(one: BreakdownEntry, other: BreakdownEntry): number {
  return Number(one.value === null) - Number(other.value === null) || sizeOf(other) - sizeOf(one);
}

function nameOf({ value, label }: BreakdownEntry, dimension: Dimension): string {
  if (value === null) return 'All others';
  if (label !== null) return label;
  if (dimension === 'category') return value.charAt(0).toUpperCase() + value.slice(1).replaceAll('_', ' ');
  if (dimension === 'domain') return `Deleted domain ${value}`;
  return dimension === 'api_key' ? `Deleted, or of another admin: ${value}` : value;
}

/** The list of messages has filters for domains, senders and tags only. The last two are counted by UTC hour. */
function hrefOf(name: ListedFigure, { value }: BreakdownEntry, { analytics, domain, dimension }: Shown): string | null {
  if (value === null) return null;
  if (dimension === 'domain') return messagesHref(name, { ...analytics, domain: value });
  if (dimension !== 'sender' && dimension !== 'tag') return null;
  const start = new Date(Math.floor(Date.parse(analytics.start) / HOUR_MS) * HOUR_MS).toISOString();
  const end = new Date(Math.ceil(Date.parse(analytics.end) / HOUR_MS) * HOUR_MS).toISOString();
  return messagesHref(name, { start, end, domain, [dimension === 'tag' ? 'tag' : 'from']: value });
}
