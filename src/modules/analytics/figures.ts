import { type Bin, percentilesOf } from './delivery-times';
import type { AnalyticsFigures, BreakdownEntry } from './schema';

type Counted = { direction: 'outbound' | 'inbound'; status: string; count: number };

type Counts = Omit<BreakdownEntry, 'value' | 'label'>;

/** The figures of messages by status. `rejected` is the status of a failed message that was never accepted. */
export function figuresOf(counted: readonly Counted[], deliveries: readonly Bin[]): AnalyticsFigures {
  const outbound = countsOf(counted, 'outbound');
  const inbound = countsOf(counted, 'inbound');
  const counts = presentCounts(outbound, inbound);
  return {
    ...counts,
    bounces: { permanent: counts.bounced, temporary: counts.deferred },
    in_transit: outbound('sent'),
    rejected: outbound('rejected'),
    uncertain: outbound('uncertain'),
    submitting: outbound('submitting'),
    undelivered: inbound('deferred') + inbound('bounced') + inbound('failed'),
    delivery_seconds: percentilesOf(deliveries),
  };
}

export function breakdownCountsOf(counted: readonly Counted[]): Counts {
  return presentCounts(countsOf(counted, 'outbound'), countsOf(counted, 'inbound'));
}

type CountOf = (status: string) => number;

function presentCounts(outbound: CountOf, inbound: CountOf): Counts {
  const [delivered, bounced, deferred] = [outbound('delivered'), outbound('bounced'), outbound('deferred')];
  const sent = outbound('sent') + deferred + delivered + bounced + outbound('failed');
  return {
    sent,
    delivered,
    bounced,
    deferred,
    failed: outbound('failed') + outbound('rejected'),
    received: inbound('received'),
    spam: inbound('spam'),
    delivery_rate: rate(delivered, sent),
    bounce_rate: rate(bounced, sent),
  };
}

function countsOf(counted: readonly Counted[], direction: Counted['direction']): CountOf {
  const counts = new Map<string, number>();
  for (const row of counted) {
    if (row.direction === direction) counts.set(row.status, (counts.get(row.status) ?? 0) + row.count);
  }
  return (status) => counts.get(status) ?? 0;
}

function rate(count: number, total: number): number | null {
  return total === 0 ? null : Math.round((count / total) * 10_000) / 10_000;
}
