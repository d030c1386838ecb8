import type { List, ListInput } from '@/lib/lists';
import type { AbuseSender, AbuseSenderFilters } from './schema';

export const senderList = {
  what: 'top senders',
  path: '/abuse/senders',
  sorts: ['sent_last_hour', 'sent_last_24h'],
  file: 'top-senders',
  csv: ['address', 'sent_last_hour', 'sent_last_24h', 'limit', 'active', 'suspended', 'domain_id', 'mailbox_id'],
} satisfies List<AbuseSender>;
export type ListAbuseSenders = ListInput<typeof senderList, typeof AbuseSenderFilters>;
