'use client';

import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import { toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import { ConfirmDialog } from '@/components/dialogs/confirm-dialog';
import { lazyDialog } from '@/components/dialogs/lazy-dialog';
import { SectionHeading } from '@/components/layout/section-heading';
import { StatusMark } from '@/components/marks/status-mark';
import { NearLink } from '@/components/near-link';
import { DetailsList } from '@/components/text/details-list';
import type { Relay } from '../schema';
import { RELAY_TLS_TEXTS } from './operation-texts';
import { RelayTest } from './relay-test';

const RelayDialog = lazyDialog(() => import('./relay-dialog').then((module) => module.RelayDialog));

type RelaySectionProps = {
  host: string;
  relay: Relay | null;
  isSandbox: boolean;
  /** Whether an operation is running. */
  isBusy: boolean;
  onOpen: (operationId: string) => void;
};

/** Whether a mail server sends through a relay, and how. */
export function RelaySection({ host, relay, isSandbox, isBusy, onOpen }: RelaySectionProps) {
  const remove = trpc.services.setRelay.useMutation();
  const [isEditing, setIsEditing] = useState(false);
  const [isRemoving, setIsRemoving] = useState(false);
  return (
    <section aria-label="Relay">
      <SectionHeading title="Relay" level={3}>
        <StatusMark status={relay ? 'on' : 'off'}>{relay ? 'In use' : 'Not used'}</StatusMark>
      </SectionHeading>
      {!relay && (
        <p className="soft">
          {isSandbox
            ? 'Mail would go to its recipients’ servers directly, but the sandbox keeps it.'
            : 'Mail goes to its recipients’ servers directly.'}{' '}
          If your provider blocks port 25, send through another server.
        </p>
      )}
      <Group py="md">
        <Button disabled={isBusy} onClick={() => setIsEditing(true)}>
          {relay ? 'Change relay' : 'Set relay'}
        </Button>
        {relay && (
          <Button disabled={isBusy} onClick={() => setIsRemoving(true)}>
            Remove relay
          </Button>
        )}
      </Group>
      {relay && (
        <>
          <Details relay={relay} />
          <RelayTest />
        </>
      )}
      <RelayDialog
        opened={isEditing}
        host={host}
        relay={relay}
        onClose={() => setIsEditing(false)}
        onStarted={onOpen}
      />
      <ConfirmDialog
        opened={isRemoving}
        title={`Remove ${relay?.destination ?? 'the relay'}`}
        action="Remove relay"
        problem={remove.error ? toProblem(remove.error) : null}
        isBusy={remove.isPending}
        onClose={() => {
          remove.reset();
          setIsRemoving(false);
        }}
        onConfirm={() =>
          remove.mutate(
            { host, relay: null },
            {
              onSuccess: ({ id }) => {
                setIsRemoving(false);
                onOpen(id);
              },
            },
          )
        }
      >
        <p className="soft">
          Mail of <span className="mono">{host}</span> then goes to its recipients’ servers directly, which needs port
          25. The password is deleted from the settings file.
        </p>
      </ConfirmDialog>
    </section>
  );
}

function Details({ relay: { destination, user, tls, tls_from_start: isTlsFromStart, spf } }: { relay: Relay }) {
  return (
    <DetailsList>
      <dt>Server</dt>
      <dd className="mono">{destination}</dd>
      <dt>User</dt>
      <dd className="mono">{user ?? 'None'}</dd>
      <dt>TLS</dt>
      <dd>
        {RELAY_TLS_TEXTS[tls]}
        {isTlsFromStart && ', from the start of the connection'}
      </dd>
      <dt>SPF</dt>
      <dd>
        {spf ? (
          <code>include:{spf}</code>
        ) : (
          <>
            Unknown. Set <code>RELAY_SPF</code> under <NearLink href="/system/config">Configuration</NearLink>, so that
            the DNS page of each domain asks for it.
          </>
        )}
      </dd>
    </DetailsList>
  );
}
