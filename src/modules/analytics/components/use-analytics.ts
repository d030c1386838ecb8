'use client';

import { keepPreviousData } from '@tanstack/react-query';
import { createSerializer, parseAsIsoDateTime, parseAsString, parseAsStringLiteral } from 'nuqs';
import { trpc } from '@/components/api/trpc';
import { useUrlState } from '@/components/url-state';
import { useTimeZone } from '@/components/values/use-time-zone';
import { choicesOf } from '@/lib/lists';
import { DIMENSION_NAMES, GRANULARITY_NAMES, PERIOD_NAMES } from './labels';

const REFRESH_MS = 60_000;
const BREAKDOWN_ENTRIES = 20;

const STATE = {
  domain: parseAsString,
  period: parseAsStringLiteral(choicesOf(PERIOD_NAMES)).withDefault('7d'),
  start: parseAsIsoDateTime,
  end: parseAsIsoDateTime,
  granularity: parseAsStringLiteral(choicesOf(GRANULARITY_NAMES)),
  timezone: parseAsString,
  flow: parseAsStringLiteral(['outbound', 'inbound']).withDefault('outbound'),
  by: parseAsStringLiteral(choicesOf(DIMENSION_NAMES)).withDefault('domain'),
};

const serialize = createSerializer(STATE);

export type Flow = 'outbound' | 'inbound';

/** The figures, and what they are chosen by, which is in the URL. */
export function useAnalytics() {
  const { values, choose } = useUrlState(STATE);
  const ownZone = useTimeZone() ?? null;
  const timezone = values.timezone ?? ownZone;
  const isCustom = values.period === 'custom';
  const input = {
    period: values.period,
    start: isCustom ? values.start?.toISOString() : undefined,
    end: isCustom ? values.end?.toISOString() : undefined,
    granularity: values.granularity ?? undefined,
    timezone: timezone ?? undefined,
    domain_id: values.domain ?? undefined,
    dimension: values.by,
    limit: BREAKDOWN_ENTRIES,
  };
  const query = trpc.analytics.get.useQuery(input, {
    enabled: timezone !== null,
    placeholderData: keepPreviousData,
    refetchInterval: isCustom ? false : REFRESH_MS,
  });
  return {
    values,
    timezone,
    input,
    query,
    change: choose,
    /** Shows a part of the period. Going back in the browser shows the period again. */
    zoom: (span: Span) => choose(customPeriod(span)),
    /** The address of the page for a part of the period. */
    hrefWith: (span: Span) => serialize('/analytics', { ...values, ...customPeriod(span) }),
  };
}

export type AnalyticsState = ReturnType<typeof useAnalytics>;

type Span = { start: string; end: string };

/** Not after now: the last point may end later. */
function customPeriod({ start, end }: Span) {
  const until = new Date(Math.min(Date.parse(end), Date.now()));
  return { period: 'custom' as const, start: new Date(start), end: until, granularity: null };
}
