'use client';

import { Button, Group } from '@mantine/core';
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
import { NoMatchingWebhooks, NoWebhooks } from './no-webhooks';
import { webhookColumns } from './webhook-columns';
import classes from './webhooks-page.module.css';

const REFRESH_MS = 15_000;
const ACTIVE_FILTER = { all: undefined, active: true, inactive: false } as const;

const filters = {
  show: parseAsStringLiteral(['all', 'active', 'inactive']).withDefault('all'),
  new: parseAsBoolean.withDefault(false),
  cursor: parseAsString,
};

export function WebhooksPage() {
  const router = useRouter();
  const [state, setState] = useQueryStates(filters);
  const [created, setCreated] = useState<CreatedWebhook | null>(null);
  const history = useCursorHistory();
  const domainScope = useDomainScope();
  const actions = useWebhookActions();
  const list = trpc.webhooks.list.useQuery(
    { domain_id: domainScope.selectedId ?? undefined, active: ACTIVE_FILTER[state.show], cursor: history.cursor },
    { placeholderData: keepPreviousData, refetchInterval: REFRESH_MS },
  );
  const rows = list.data?.items;
  const isEmpty = rows?.length === 0 && history.isFirst;
  const domainName = domainScope.selectedId ? domainScope.nameOf(domainScope.selectedId) : undefined;
  const openNew = () => void setState({ new: true });

  return (
    <Page>
      <PageHeader
        title="Webhooks"
        description={domainName ? `For ${domainName}` : 'Send delivery events to your endpoints'}
      >
        <Button variant="filled" leftSection={<IconPlus stroke={2} />} onClick={openNew}>
          New webhook
        </Button>
      </PageHeader>
      <Group py="md">
        <SegmentedControl
          label="Status"
          value={state.show}
          options={{ all: 'All', active: 'Active', inactive: 'Inactive' }}
          onChange={(show) => void setState({ show, cursor: null })}
        />
      </Group>
      {list.isError && !rows && <ErrorState what="webhooks" error={list.error} onRetry={() => void list.refetch()} />}
      {isEmpty && state.show === 'all' && <NoWebhooks domainName={domainName} onNew={openNew} />}
      {isEmpty && state.show !== 'all' && (
        <NoMatchingWebhooks onClear={() => void setState({ show: null, cursor: null })} />
      )}
      {!isEmpty && !(list.isError && !rows) && (
        <>
          <DataTable
            caption="Webhooks, newest first"
            className={classes.table}
            columns={webhookColumns({ nameOf: domainScope.nameOf, actions })}
            rows={rows}
            rowKey={({ id }) => id}
            rowHref={({ id }) => `/webhooks/${id}`}
            isInactive={(webhook) => !actions.isActive(webhook)}
            isStale={list.isPlaceholderData}
            skeletonRows={6}
          />
          <Pagination page={list.data} history={history} />
        </>
      )}
      <Notification notice={actions.notice} onDismiss={actions.dismiss} />
      <NewWebhookDialog
        opened={state.new && created === null}
        domains={domainScope.domains}
        preset={domainScope.selectedId}
        onClose={() => void setState({ new: null })}
        onCreated={(webhook) => {
          setCreated(webhook);
          void setState({ new: null });
        }}
      />
      {created && (
        <WebhookSecretDialog
          title={`Copy the secret for ${new URL(created.url).host}`}
          webhook={created}
          secret={created.secret}
          domainName={created.domain_id ? domainScope.nameOf(created.domain_id) : undefined}
          onStored={() => router.push(`/webhooks/${created.id}`)}
        />
      )}
    </Page>
  );
}
