'use client';

import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { keepPreviousData } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { parseAsBoolean, parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { useState } from 'react';
import { trpc } from '@/components/api/trpc';
import { useReach } from '@/components/directory/use-reach';
import { useCursorTrail } from '@/components/ledger/cursor-trail';
import { Folio } from '@/components/ledger/folio';
import { Ledger } from '@/components/ledger/ledger';
import { ErrorNote } from '@/components/ledger/notes';
import { NoticeBar } from '@/components/notice-bar';
import { PageHead } from '@/components/page-head';
import { Segments } from '@/components/segments';
import { Page } from '@/components/shell/page';
import type { CreatedWebhook } from '../../schema';
import { useWebhookActions } from '../use-webhook-actions';
import { WebhookSecretDialog } from '../webhook-secret-dialog';
import { NewWebhookDialog } from './new-webhook-dialog';
import { NoWebhookFits, NoWebhooks } from './no-webhooks';
import { webhookColumns } from './webhook-columns';

const REFRESH_MS = 15_000;
const SHOWN = { all: undefined, on: true, off: false } as const;

const filters = {
  show: parseAsStringLiteral(['all', 'on', 'off']).withDefault('all'),
  new: parseAsBoolean.withDefault(false),
  cursor: parseAsString,
};

export function WebhooksPage() {
  const router = useRouter();
  const [state, setState] = useQueryStates(filters);
  const [created, setCreated] = useState<CreatedWebhook | null>(null);
  const trail = useCursorTrail();
  const reach = useReach();
  const actions = useWebhookActions();
  const list = trpc.webhooks.list.useQuery(
    { domain_id: reach.chosen ?? undefined, active: SHOWN[state.show], cursor: trail.cursor },
    { placeholderData: keepPreviousData, refetchInterval: REFRESH_MS },
  );
  const rows = list.data?.items;
  const isEmpty = rows?.length === 0 && trail.isFirst;
  const domainName = reach.chosen ? reach.nameOf(reach.chosen) : undefined;
  const openNew = () => void setState({ new: true });

  return (
    <Page>
      <PageHead
        title="Webhooks"
        lede={domainName ? `Of ${domainName} alone` : 'Addresses that are told what becomes of mail'}
      >
        <Button variant="filled" leftSection={<IconPlus stroke={2} />} onClick={openNew}>
          New webhook
        </Button>
      </PageHead>
      <div className="tools">
        <Segments
          label="State"
          value={state.show}
          options={{ all: 'All', on: 'On', off: 'Off' }}
          onChange={(show) => void setState({ show, cursor: null })}
        />
      </div>
      {list.isError && !rows && <ErrorNote what="webhooks" error={list.error} onRetry={() => void list.refetch()} />}
      {isEmpty && state.show === 'all' && <NoWebhooks domainName={domainName} onNew={openNew} />}
      {isEmpty && state.show !== 'all' && <NoWebhookFits onClear={() => void setState({ show: null, cursor: null })} />}
      {!isEmpty && !(list.isError && !rows) && (
        <>
          <Ledger
            caption="Webhooks, the newest first"
            className="webhooks"
            columns={webhookColumns({ nameOf: reach.nameOf, actions })}
            rows={rows}
            rowKey={({ id }) => id}
            rowHref={({ id }) => `/webhooks/${id}`}
            isOff={(webhook) => !actions.isOn(webhook)}
            isStale={list.isPlaceholderData}
            bones={6}
          />
          <Folio page={list.data} trail={trail} />
        </>
      )}
      <NoticeBar notice={actions.notice} onDismiss={actions.dismiss} />
      <NewWebhookDialog
        opened={state.new && created === null}
        domains={reach.domains}
        preset={reach.chosen}
        onClose={() => void setState({ new: null })}
        onCreated={(webhook) => {
          setCreated(webhook);
          void setState({ new: null });
        }}
      />
      {created && (
        <WebhookSecretDialog
          title={`Copy the secret of ${new URL(created.url).host}`}
          webhook={created}
          secret={created.secret}
          domainName={created.domain_id ? reach.nameOf(created.domain_id) : undefined}
          onStored={() => router.push(`/webhooks/${created.id}`)}
        />
      )}
    </Page>
  );
}
