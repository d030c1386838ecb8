import { Cell, Clipped, Copyable, RowLink } from '@/components/data-table/cells';
import { activeColumn } from '@/components/data-table/columns';
import type { DataTableColumn } from '@/components/data-table/data-table';
import { TimeAgo } from '@/components/values/time-ago';
import { ALL_EVENTS } from '@/lib/event-types';
import { formatPlural, formatShare } from '@/lib/format';
import type { ListedWebhook } from '../../schema';
import { Endpoint } from '../endpoint';
import { WebhookStatus } from '../webhook-status';
import { hostOf, isFailing, sinceOf } from '../webhook-values';
import classes from './webhook-columns.module.css';

type WebhookColumnsOptions = {
  domainNames: Map<string, string>;
  onSetActive: (webhook: ListedWebhook, active: boolean) => void;
};

export function webhookColumns({ domainNames, onSetActive }: WebhookColumnsOptions): DataTableColumn<ListedWebhook>[] {
  return [
    {
      header: 'Status',
      width: 104,
      kind: 'mark',
      skeletonWidth: 56,
      cell: (webhook) => (
        <>
          <WebhookStatus webhook={webhook} isShort />
          {isFailing(webhook) && <small className={classes.since}>{sinceOf(webhook)}</small>}
        </>
      ),
    },
    {
      header: 'Endpoint',
      kind: 'copyable',
      mobile: 'lead',
      skeletonWidth: 240,
      cell: (webhook) => (
        <Copyable value={webhook.url} what="URL">
          <span className={classes.lines}>
            <RowLink href={`/webhooks/${webhook.id}`}>
              <Endpoint url={webhook.url} />
            </RowLink>
            {webhook.name && <Clipped text={webhook.name} className="soft only-wide" />}
            {/* Its column says so on a wide screen. */}
            {(!webhook.active || isFailing(webhook)) && (
              <span className="only-narrow">
                <WebhookStatus webhook={webhook} />
              </span>
            )}
          </span>
        </Copyable>
      ),
    },
    {
      header: 'Events and domain',
      width: 224,
      maxWidth: 320,
      mobile: 'under',
      skeletonWidth: 120,
      cell: ({ name, events, domain_id: id }) => (
        <>
          <Cell>
            {name && <span className="clip only-narrow">{name}</span>}
            <EventNames events={events} />
          </Cell>
          <div className={`soft only-wide ${classes.domain}`}>
            {id === null ? 'All domains' : <Clipped text={domainNames.get(id) ?? 'One domain'} className="mono" />}
          </div>
        </>
      ),
    },
    {
      header: 'Success rate',
      width: 112,
      maxWidth: 136,
      kind: 'figure',
      skeletonWidth: 40,
      cell: (webhook) => <SuccessRate webhook={webhook} />,
    },
    {
      header: 'Last success',
      width: 96,
      maxWidth: 136,
      kind: 'figure',
      isOptional: true,
      className: 'soft',
      skeletonWidth: 56,
      cell: ({ last_delivered_at: at }) => (at ? <TimeAgo iso={at} /> : 'Never'),
    },
    activeColumn({ nameOf: ({ url }) => hostOf(url), onChange: onSetActive }),
  ];
}

/**
 * The rate counts finished deliveries, so that it falls hours after a webhook began to fail, while the first are retried. That
 * of the attempts since then, which all failed, takes its place.
 */
function SuccessRate({ webhook }: { webhook: ListedWebhook }) {
  const { failures_in_row: failures, recent_deliveries: recent } = webhook;
  const { finished, delivered } = recent;
  const rate = `${delivered} of the last ${formatPlural(finished, 'delivery', 'deliveries')}`;
  if (isFailing(webhook)) {
    const failed = formatPlural(failures, 'attempt');
    return (
      <span title={`${failed} failed attempts in a row. Before, ${rate} succeeded.`}>
        {formatShare(0, failures)}
        <small className={classes.failed}>of {failed}</small>
      </span>
    );
  }
  return finished > 0 && <span title={rate}>{formatShare(delivered, finished)}</span>;
}

function EventNames({ events }: { events: string[] }) {
  if (events.includes(ALL_EVENTS)) return 'All events';
  const [first = '', ...others] = events;
  return (
    <span title={events.join(', ')}>
      <span className="mono">{first}</span>
      {others.length > 0 && <span className="soft"> +{others.length}</span>}
    </span>
  );
}
