import { StatusMark } from '@/components/marks/status-mark';
import type { Mailbox } from '../schema';

export function MailboxState({ mailbox: { active, suspended } }: { mailbox: Mailbox }) {
  if (suspended) return <StatusMark status="failed">Suspended</StatusMark>;
  return <StatusMark status={active ? 'on' : 'off'} />;
}
