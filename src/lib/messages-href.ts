/** The figures of analytics that a list of messages can show. */
export type ListedFigure = 'sent' | 'delivered' | 'deferred' | 'bounced' | 'failed';

type Where = { since: string; until?: string; domain?: string | null; from?: string };

/** The list of the outbound messages that a figure counts. */
export function messagesHref(figure: ListedFigure, { since, until, domain, from }: Where): string {
  const query = new URLSearchParams({
    ...(domain && { domain }),
    ...(from && { from }),
    direction: 'outbound',
    ...(figure !== 'sent' && { status: figure }),
    since,
    ...(until && { until }),
  });
  return `/messages?${query}`;
}
