import type { List, ListInput } from '@/lib/lists';
import { tagText } from '@/lib/mail/message-tags';
import type { MessageFilters, MessageSummary } from './schema';

export const messageList = {
  what: 'messages',
  path: '/messages',
  sorts: ['created_at'],
  views: 'messages',
  csv: [
    'id',
    'created_at',
    'direction',
    'status',
    ['outcomes', ({ outcomes }) => outcomes.map(({ status, recipients }) => `${recipients} ${status}`)],
    ['reason', ({ failure }) => failure?.reason ?? ''],
    'from',
    'to',
    'subject',
    'size',
    'message_id',
    'queue_id',
    'domain_id',
    'spam_score',
    'updated_at',
    'send_at',
    ['template', ({ template }) => template?.name],
    ['template_version', ({ template }) => template?.version],
    ['tags', ({ tags }) => Object.entries(tags).map(([name, value]) => tagText(name, value))],
  ],
} satisfies List<MessageSummary>;
export type ListMessages = ListInput<typeof messageList, typeof MessageFilters>;
