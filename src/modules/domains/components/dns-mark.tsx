import { type Status, StatusMark } from '@/components/marks/status-mark';
import type { Domain } from '../schema';

const MARKS: Record<Domain['dns_status'], [Status, string]> = {
  ok: ['on', 'Complete'],
  warning: ['warning', 'Warnings'],
  error: ['bounced', 'Problems'],
  unchecked: ['pending', 'Not checked'],
};

/** The state of all DNS records of a domain. */
export function DnsMark({ status }: { status: Domain['dns_status'] }) {
  const [mark, label] = MARKS[status];
  return <StatusMark status={mark}>{label}</StatusMark>;
}
