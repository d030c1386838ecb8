import { type Status, StatusMark } from '@/components/marks/status-mark';
import type { Domain } from '../schema';

const MARKS: Record<Domain['dns_status'], [Status, string]> = {
  ok: ['on', 'Complete'],
  warning: ['warning', 'Warnings'],
  error: ['bounced', 'Problems'],
  unchecked: ['pending', 'Not checked'],
};

/** The state of all DNS records of a domain. Those of an inactive one harm nobody. */
export function DnsMark({ status, active }: { status: Domain['dns_status']; active: boolean }) {
  if (!active) return <StatusMark status="off" />;
  const [mark, label] = MARKS[status];
  return <StatusMark status={mark}>{label}</StatusMark>;
}
