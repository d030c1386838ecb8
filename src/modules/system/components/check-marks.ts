import type { Status } from '@/components/marks/status-mark';
import type { HealthCheck } from '../schema';

export const MARKS: Record<HealthCheck['status'], [Status, string]> = {
  ok: ['on', 'OK'],
  degraded: ['warning', 'Degraded'],
  down: ['failed', 'Down'],
  unknown: ['pending', 'Unknown'],
};
