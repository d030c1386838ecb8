import { Cell, RowLink } from '@/components/data-table/cells';
import { activeColumn, updatedColumn } from '@/components/data-table/columns';
import type { DataTableColumn } from '@/components/data-table/data-table';
import { ALL_EVENTS } from '@/lib/event-types';
import type { Webhook } from '../../schema';
import { Endpoint } from '../endpoint';
import { WebhookStatus } from '../webhook-status';
import { hostOf } from '../webhook-values';

type WebhookColumnsOptions = {
  nameOf: (domainId: string) => string | undefined;
  onSetActive: (webhook: Webhook, active: boolean) => void;
};

export function webhookColumns({ nameOf, onSetActive }: WebhookColumnsOptions): DataTableColumn<Webhook>[] {
  return [
    {
      key: 'status',
      header: 'Status',
      width: 192,
      kind: 'mark',
      mobile: 'mark',
      skeletonWidth: 48,
      cell: (webhook) => <WebhookStatus webhook={webhook} isShort />,
    },
    {
      key: 'endpoint',
      header: 'Endpoint',
      mobile: 'lead',
      skeletonWidth: 240,
      cell: ({ id, url, name }) => (
        <Cell>
          <RowLink href={`/webhooks/${id}`}>
            <Endpoint url={url} />
          </RowLink>
          {name && <span className="clip soft only-wide">{name}</span>}
        </Cell>
      ),
    },
    {
      key: 'events',
      header: 'Events',
      width: 184,
      mobile: 'under',
      skeletonWidth: 120,
      cell: ({ events }) => <EventNames events={events} />,
    },
    {
      key: 'domain',
      header: 'Domain',
      width: 152,
      isOptional: true,
      skeletonWidth: 88,
      cell: ({ domain_id: id }) =>
        id === null ? 'All domains' : <span className="mono">{nameOf(id) ?? 'One domain'}</span>,
    },
    updatedColumn(),
    activeColumn({ nameOf: ({ url }) => hostOf(url), onChange: onSetActive }),
  ];
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
