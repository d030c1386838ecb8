export const OUTBOUND = ['sent', 'delivered', 'deferred', 'bounced', 'failed'] as const;
export const INBOUND = ['received', 'spam'] as const;

/** Figures of the statistics that the list of messages can show one by one. */
export type ListedFigure = (typeof OUTBOUND)[number] | (typeof INBOUND)[number];

/** Without an end, the list goes on. */
type Where = { start: string; end?: string; domain?: string | null; from?: string; tag?: string };

/** The list of exactly the messages that a figure counts. */
export function messagesHref(figure: ListedFigure, { start, end, domain, from, tag }: Where): string {
  const direction = figure === 'received' || figure === 'spam' ? 'inbound' : 'outbound';
  const filters: Record<string, string> = figure === 'sent' ? { accepted: 'true' } : { direction, status: figure };
  const query = new URLSearchParams({
    ...(domain && { domain }),
    ...(from && { from }),
    ...(tag && { tag }),
    ...filters,
    since: new Date(start).toISOString(),
    ...(end && { until: new Date(end).toISOString() }),
  });
  return `/messages?${query}`;
}
