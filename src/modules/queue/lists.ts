import type { List, ListInput } from '@/lib/lists';
import type { QueuedMessage, QueueFilters } from './schema';

export const queueList = {
  what: 'messages',
  fullName: 'queued messages',
  path: '/queue',
  sorts: ['arrived_at'],
  views: 'queue',
  csv: [
    'queue_id',
    'queue',
    'arrived_at',
    'from',
    ['recipients', ({ recipients }) => recipients.map(({ address }) => address)],
    'recipient_count',
    ['reason', ({ recipients }) => recipients.find(({ reason }) => reason !== null)?.reason],
    'size',
    ['id', ({ message }) => message?.id],
    ['message_id', ({ message }) => message?.message_id],
    ['subject', ({ message }) => message?.subject],
    'next_attempt_at',
    'expires_at',
  ],
} satisfies List<QueuedMessage>;
export type ListQueue = ListInput<typeof queueList, typeof QueueFilters>;
