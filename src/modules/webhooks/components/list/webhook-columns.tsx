import Link from 'next/link';
import { changedColumn, switchColumn } from '@/components/ledger/columns';
import type { LedgerColumn } from '@/components/ledger/ledger';
import { ALL_EVENTS } from '@/lib/event-types';
import type { Webhook } from '../../schema';
import { Endpoint } from '../endpoint';
import type { useWebhookActions } from '../use-webhook-actions';
import { WebhookState } from '../webhook-state';
import { hostOf } from '../webhook-values';

type WebhookColumnsOptions = {
  nameOf: (domainId: string) => string | undefined;
  actions: ReturnType<typeof useWebhookActions>;
};

export function webhookColumns({ nameOf, actions }: WebhookColumnsOptions): LedgerColumn<Webhook>[] {
  return [
    {
      key: 'state',
      header: 'State',
      width: 192,
      kind: 'mark',
      fold: 'mark',
      bone: 48,
      cell: (webhook) => <WebhookState webhook={{ ...webhook, active: actions.isOn(webhook) }} isShort />,
    },
    {
      key: 'address',
      header: 'Address',
      fold: 'lead',
      bone: 240,
      cell: ({ id, url, name }) => (
        <span className="cell">
          <Link className="link" href={`/webhooks/${id}`}>
            <Endpoint url={url} />
          </Link>
          {name && <span className="clip soft only-wide">{name}</span>}
        </span>
      ),
    },
    {
      key: 'events',
      header: 'Events',
      width: 184,
      fold: 'under',
      bone: 120,
      cell: ({ events }) => <EventNames events={events} />,
    },
    {
      key: 'domain',
      header: 'Domain',
      width: 152,
      isSpare: true,
      bone: 88,
      cell: ({ domain_id: id }) =>
        id === null ? 'All domains' : <span className="mono line">{nameOf(id) ?? 'One domain'}</span>,
    },
    changedColumn(),
    switchColumn({ nameOf: ({ url }) => hostOf(url), isOn: actions.isOn, onSwitch: actions.switchTo }),
  ];
}

function EventNames({ events }: { events: string[] }) {
  if (events.includes(ALL_EVENTS)) return 'All events';
  const [first = '', ...others] = events;
  return (
    <span title={events.join(', ')}>
      <span className="mono line">{first}</span>
      {others.length > 0 && <span className="soft"> +{others.length}</span>}
    </span>
  );
}
