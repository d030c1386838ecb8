import { Cell, Copyable, RowLink } from '@/components/data-table/cells';
import { activeColumn } from '@/components/data-table/columns';
import type { DataTableColumn } from '@/components/data-table/data-table';
import { TimeAgo } from '@/components/values/time-ago';
import { ALL_EVENTS } from '@/lib/event-types';
import { formatPlural, formatShare } from '@/lib/format';
import type { ListedWebhook } from '../../schema';
import { Endpoint } from '../endpoint';
import { WebhookStatus } from '../webhook-status';
import { hostOf, isFailing } from '../webhook-values';
import classes from './webhook-columns.module.css';

type WebhookColumnsOptions = {
  domainNames: Map<string, string>;
  onSetActive: (webhook: ListedWebhook, active: boolean) => void;
};

export function webhookColumns({ domainNames, onSetActive }: WebhookColumnsOptions): DataTableColumn<ListedWebhook>[] {
  return [
    {
      header: 'Status',
      width: 96,
      kind: 'mark',
      skeletonWidth: 56,
      cell: (webhook) => <WebhookStatus webhook={webhook} isShort />,
    },
    {
      header: 'Endpoint',
      kind: 'copyable',
      mobile: 'lead',
      skeletonWidth: 240,
      cell: (webhook) => (
        <Copyable value={webhook.url} what="URL">
          <Cell>
            <RowLink href={`/webhooks/${webhook.id}`}>
              <Endpoint url={webhook.url} />
            </RowLink>
            {webhook.name && (
              <span className={`clip soft only-wide ${classes.name}`} title={webhook.name}>
                {webhook.name}
              </span>
            )}
            {/* Its column says so on a wide screen. */}
            {(!webhook.active || isFailing(webhook)) && (
              <span className="only-narrow">
                <WebhookStatus webhook={webhook} />
              </span>
            )}
          </Cell>
        </Copyable>
      ),
    },
    {
      header: 'Events',
      width: 148,
      maxWidth: 240,
      mobile: 'under',
      skeletonWidth: 120,
      cell: ({ name, events }) => (
        <Cell>
          {name && <span className="clip only-narrow">{name}</span>}
          <EventNames events={events} />
        </Cell>
      ),
    },
    {
      header: 'Domain',
      width: 176,
      maxWidth: 280,
      isOptional: true,
      skeletonWidth: 88,
      cell: ({ domain_id: id }) =>
        id === null ? (
          'All domains'
        ) : (
          <span className="mono clip" title={domainNames.get(id)}>
            {domainNames.get(id) ?? 'One domain'}
          </span>
        ),
    },
    {
      header: 'Success rate',
      width: 152,
      maxWidth: 168,
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

/** Deliveries that are retried aren't finished, so that the rate of a webhook that has just begun to fail would say nothing. */
function SuccessRate({ webhook }: { webhook: ListedWebhook }) {
  const { finished, delivered } = webhook.recent_deliveries;
  if (isFailing(webhook)) {
    return <span className={classes.failures}>{formatPlural(webhook.failures_in_row, 'failed attempt')}</span>;
  }
  return (
    finished > 0 && (
      <span title={`${delivered} of the last ${formatPlural(finished, 'delivery', 'deliveries')}`}>
        {formatShare(delivered, finished)}
      </span>
    )
  );
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
