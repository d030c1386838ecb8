'use client';

import { Button } from '@mantine/core';
import { useRouter } from 'next/navigation';
import { parseAsBoolean, parseAsStringLiteral } from 'nuqs';
import { useState } from 'react';
import { trpc } from '@/components/api/trpc';
import { lazyDialog } from '@/components/dialogs/lazy-dialog';
import { useDomainScope } from '@/components/directory/use-domain-scope';
import { IconPlus } from '@/components/icons/icons';
import { ListTools, ListView } from '@/components/list/list-view';
import { SearchInput } from '@/components/list/search-input';
import { ACTIVE_CHOICES, parseAsShow, ShowFilter } from '@/components/list/show-filter';
import { useList } from '@/components/list/use-list';
import { parseAsText, useListSearch } from '@/components/list/use-list-search';
import { PageHeader } from '@/components/page-header';
import { useDomainNames } from '@/components/pickers/use-domain-names';
import { useAttention } from '@/components/shell/navigation/use-attention';
import { Page } from '@/components/shell/page';
import { EVENT_TYPES } from '@/lib/event-types';
import { webhookList } from '../../lists';
import type { CreatedWebhook, ListedWebhook } from '../../schema';
import { useWebhookActions } from '../use-webhook-actions';
import { WebhookSecretDialog } from '../webhook-secret-dialog';
import { isFailing } from '../webhook-values';
import { NoWebhooks } from './no-webhooks';
import { webhookColumns } from './webhook-columns';
import classes from './webhooks-page.module.css';

const NewWebhookDialog = lazyDialog(() => import('./new-webhook-dialog').then((module) => module.NewWebhookDialog));

const REFRESH_MS = 15_000;

const CHOICES = { ...ACTIVE_CHOICES, failing: { label: 'Failing', input: { failing: true } } };

const SEARCH = {
  filters: { q: parseAsText, show: parseAsShow(CHOICES) },
  view: { new: parseAsBoolean.withDefault(false), event: parseAsStringLiteral(EVENT_TYPES) },
};

export function WebhooksPage() {
  const router = useRouter();
  const search = useListSearch(SEARCH);
  const { values, settled, open } = search;
  const [created, setCreated] = useState<CreatedWebhook | null>(null);
  const domainScope = useDomainScope();
  const actions = useWebhookActions<ListedWebhook>();
  const input = {
    q: settled.q || undefined,
    domain_id: domainScope.selectedId ?? undefined,
    ...CHOICES[values.show].input,
  };
  const list = useList(webhookList, trpc.webhooks.list, { search, input, refetchInterval: REFRESH_MS });
  const items = list.query.data?.items;
  const isWhole = search.history.isFirst && list.query.data?.pagination.has_more === false;
  const shownIds = items?.flatMap(({ domain_id }) => domain_id ?? []) ?? [];
  const domainNames = useDomainNames(created?.domain_id ? [...shownIds, created.domain_id] : shownIds);
  const domainName = domainScope.selectedDomain?.name;
  const failing = useAttention().data?.counts.webhooks;
  const openNew = () => open({ new: true });
  const closeNew = () => open({ new: null, event: null });

  return (
    <Page>
      <PageHeader title="Webhooks" description={domainName ? `For ${domainName}` : 'Send events to your endpoints'}>
        <Button variant="filled" leftSection={<IconPlus stroke={2} />} onClick={openNew}>
          New webhook
        </Button>
      </PageHeader>
      <ListTools list={list}>
        <SearchInput search={search} label="Filter by name or URL" placeholder="Name or URL" />
        <ShowFilter search={search} choices={CHOICES} counts={{ failing }} />
      </ListTools>
      <ListView
        list={list}
        rows={items && ordered(items.map(actions.latest), isWhole)}
        empty={<NoWebhooks domainName={domainName} onNew={openNew} />}
        noMatches="No webhook matches these filters."
        caption={isWhole ? 'Webhooks, failing ones first' : 'Webhooks, newest first'}
        className={classes.table}
        columns={webhookColumns({ domainNames, onSetActive: actions.setActive })}
        rowHref={({ id }) => `/webhooks/${id}`}
        isInactive={({ active }) => !active}
        skeletonRows={6}
      />
      <NewWebhookDialog
        opened={values.new && created === null}
        presetDomain={domainScope.selectedDomain}
        presetEvent={values.event}
        onClose={closeNew}
        onCreated={(webhook) => {
          setCreated(webhook);
          closeNew();
        }}
      />
      {created && (
        <WebhookSecretDialog
          title={`Copy the secret for ${new URL(created.url).host}`}
          webhook={created}
          secret={created.secret}
          domainName={created.domain_id ? domainNames.get(created.domain_id) : undefined}
          onStored={() => router.push(`/webhooks/${created.id}`)}
        />
      )}
    </Page>
  );
}

/** The failing ones first, if all are on this page; the API has the newest first. */
function ordered(webhooks: ListedWebhook[], isWhole: boolean): ListedWebhook[] {
  if (!isWhole) return webhooks;
  return webhooks.toSorted((one, other) => Number(isFailing(other)) - Number(isFailing(one)));
}
