import type { Series } from '@/components/charts/time-rows';
import { PERCENTILES } from '../labels';
import type { Flow } from '../use-analytics';

export const STATUS_SERIES: Record<Flow, Series[]> = {
  outbound: [
    { name: 'delivered', label: 'Delivered', color: 'var(--postmark)' },
    { name: 'in_transit', label: 'No result yet', color: 'var(--ink-3)' },
    { name: 'deferred', label: 'Deferred', color: 'var(--deferred)' },
    { name: 'bounced', label: 'Bounced', color: 'var(--bounced)' },
    { name: 'failed', label: 'Failed', color: 'var(--failed)' },
  ],
  inbound: [
    { name: 'received', label: 'Received', color: 'var(--postmark)' },
    { name: 'undelivered', label: 'Not delivered', color: 'var(--deferred)' },
    { name: 'spam', label: 'Spam', color: 'var(--edge)' },
  ],
};

export const PERCENTILE_SERIES: Series[] = [
  { name: 'p50', label: PERCENTILES.p50, color: 'var(--postmark)' },
  { name: 'p95', label: PERCENTILES.p95, color: 'var(--ink-3)' },
  { name: 'p99', label: PERCENTILES.p99, color: 'var(--ink)' },
];
