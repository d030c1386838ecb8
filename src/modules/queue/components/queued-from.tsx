'use client';

import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import { toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import { NearLink } from '@/components/near-link';
import { SettingsSection } from '@/components/settings-section';
import { formatPlural } from '@/lib/format';
import type { QueuedMessage } from '../schema';
import { BulkResult } from './bulk-result';
import { DeleteQueuedDialog } from './delete-queued-dialog';
import classes from './queue-page.module.css';
import { useQueueActions } from './use-queue-actions';

const MAX_SHOWN = 200;

/** The messages from a mailbox that wait for delivery, to be deleted at once. */
export function QueuedFromMailbox({ id }: { id: string }) {
  const { data: mailbox } = trpc.mailboxes.get.useQuery({ id });
  return mailbox ? <QueuedFrom address={mailbox.email} /> : null;
}

function QueuedFrom({ address }: { address: string }) {
  const queued = trpc.queue.list.useQuery({ from: address, limit: MAX_SHOWN }, { retry: false });
  const actions = useQueueActions();
  const [deleting, setDeleting] = useState<QueuedMessage[]>([]);
  const { items = [], pagination } = queued.data ?? {};
  const count = formatPlural(items.length, 'message');

  return (
    <SettingsSection
      title="In the queue"
      hint="Deleted messages aren’t delivered. Delivered messages can’t be recalled."
    >
      <div className={classes.queued}>
        {actions.outcome && <BulkResult outcome={actions.outcome} onDismiss={actions.dismissOutcome} />}
        {queued.error && !queued.data ? (
          <p className="soft">Couldn’t read the queue: {toProblem(queued.error).message}</p>
        ) : (
          <p className="soft" role="status">
            {queued.data === undefined && 'Reading the queue…'}
            {queued.data && items.length === 0 && 'No queued messages from this address.'}
            {items.length > 0 && `${count}${pagination?.has_more ? ' and more' : ''} from this address in the queue.`}
          </p>
        )}
        {items.length > 0 && (
          <Group>
            <Button className="danger" disabled={actions.isBusy} onClick={() => setDeleting(items)}>
              Delete {count}
            </Button>
            <Button component={NearLink} href={`/queue?${new URLSearchParams({ from: address })}`}>
              Look at them
            </Button>
          </Group>
        )}
      </div>
      <DeleteQueuedDialog
        messages={deleting}
        isBusy={actions.isBusy}
        onClose={() => setDeleting([])}
        onConfirm={() => actions.actOnAll('delete', deleting, () => setDeleting([]))}
      />
    </SettingsSection>
  );
}
