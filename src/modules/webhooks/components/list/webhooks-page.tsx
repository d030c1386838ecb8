'use client';

import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { keepPreviousData } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { parseAsBoolean, parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { useState } from 'react';
import { trpc } from '@/components/api/trpc';
import { useCursorHistory } from '@/components/data-table/cursor-history';
import { DataTable } from '@/components/data-table/data-table';
import { Pagination } from '@/components/data-table/pagination';
import { ErrorState } from '@/components/data-table/states';
import { useDomainScope } from '@/components/directory/use-domain-scope';
import { Notification } from '@/components/notification';
import { PageHeader } from '@/components/page-header';
import { SegmentedControl } from '@/components/segmented-control';
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
  const trail = useCursorHistory();
  const reach = useDomainScope();
  const actions = useWebhookActions();
  const list = trpc.webhooks.list.useQuery(
    { domain_id: reach.selectedId ?? undefined, active: SHOWN[state.show], cursor: trail.cursor },
    { placeholderData: keepPreviousData, refetchInterval: REFRESH_MS },
  );
  const rows = list.data?.items;
  const isEmpty = rows?.length === 0 && trail.isFirst;
  const domainName = reach.selectedId ? reach.nameOf(reach.selectedId) : undefined;
  const openNew = () => void setState({ new: true });

  return (
    <Page>
      <PageHeader
        title="Webhooks"
        description={domainName ? `Of ${domainName} alone` : 'Addresses that are told what becomes of mail'}
      >
        <Button variant="filled" leftSection={<IconPlus stroke={2} />} onClick={openNew}>
          New webhook
        </Button>
      </PageHeader>
      <div className="tools">
        <SegmentedControl
          label="State"
          value={state.show}
          options={{ all: 'All', on: 'On', off: 'Off' }}
          onChange={(show) => void setState({ show, cursor: null })}
        />
      </div>
      {list.isError && !rows && <ErrorState what="webhooks" error={list.error} onRetry={() => void list.refetch()} />}
      {isEmpty && state.show === 'all' && <NoWebhooks domainName={domainName} onNew={openNew} />}
      {isEmpty && state.show !== 'all' && <NoWebhookFits onClear={() => void setState({ show: null, cursor: null })} />}
      {!isEmpty && !(list.isError && !rows) && (
        <>
          <DataTable
            caption="Webhooks, the newest first"
            className="webhooks"
            columns={webhookColumns({ nameOf: reach.nameOf, actions })}
            rows={rows}
            rowKey={({ id }) => id}
            rowHref={({ id }) => `/webhooks/${id}`}
            isInactive={(webhook) => !actions.isOn(webhook)}
            isStale={list.isPlaceholderData}
            skeletonRows={6}
          />
          <Pagination page={list.data} history={trail} />
        </>
      )}
      <Notification notice={actions.notice} onDismiss={actions.dismiss} />
      <NewWebhookDialog
        opened={state.new && created === null}
        domains={reach.domains}
        preset={reach.selectedId}
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
