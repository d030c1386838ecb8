import type { List } from '@/lib/lists';
import type { AbuseSender } from './schema';

export const senderList = {
  what: 'top senders',
  path: '/abuse/senders',
  file: 'top-senders',
  csv: ['address', 'sent_last_hour', 'sent_last_24h', 'limit', 'active', 'suspended', 'domain_id', 'mailbox_id'],
} satisfies List<AbuseSender>;
