import type { AnalyticsFigures } from '@/modules/analytics/schema';
import type { MessageSummary } from '@/modules/messages/schema';
import type { Client } from '../rest';

/** Every message that GET /messages lists with these filters. */
export async function allMessages(api: Client, filters: Record<string, string>): Promise<MessageSummary[]> {
  const found: MessageSummary[] = [];
  for (let cursor = ''; ; ) {
    const query = new URLSearchParams({ ...filters, limit: '200', ...(cursor && { cursor }) });
    const { data, meta } = await api.get(`/messages?${query}`);
    found.push(...data);
    if (!meta.pagination?.has_more) return found;
    cursor = meta.pagination.next_cursor;
  }
}

type CountName = Exclude<keyof AnalyticsFigures, 'bounces' | 'delivery_seconds' | 'delivery_rate' | 'bounce_rate'>;

/** The figures of listed messages, counted one by one. */
export function figuresOfList(messages: MessageSummary[]): Record<CountName, number> {
  const count = (direction: string, ...statuses: string[]) =>
    messages.filter((message) => message.direction === direction && statuses.includes(message.status)).length;
  const rejected = messages.filter(
    ({ direction, status, queue_id }) => direction === 'outbound' && status === 'failed' && queue_id === null,
  ).length;
  return {
    sent: count('outbound', 'sent', 'deferred', 'delivered', 'bounced', 'failed') - rejected,
    delivered: count('outbound', 'delivered'),
    bounced: count('outbound', 'bounced'),
    deferred: count('outbound', 'deferred'),
    failed: count('outbound', 'failed'),
    received: count('inbound', 'received'),
    spam: count('inbound', 'spam'),
    in_transit: count('outbound', 'sent'),
    rejected,
    uncertain: count('outbound', 'uncertain'),
    submitting: count('outbound', 'submitting'),
    undelivered: count('inbound', 'deferred', 'bounced', 'failed'),
  };
}
