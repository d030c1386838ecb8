'use client';

import { Button, Group } from '@mantine/core';
import { useSearchParams } from 'next/navigation';
import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { useMemo } from 'react';
import { prefetchDuringRender } from '@/components/api/prefetch-during-render';
import { trpc } from '@/components/api/trpc';
import { EmptyState, ErrorState } from '@/components/data-table/states';
import { confirmLeave } from '@/components/dialogs/navigation-guard';
import { useIsRunning } from '@/components/document/use-is-running';
import { IconPlus } from '@/components/icons/icons';
import { NearLink } from '@/components/near-link';
import { PageHeader } from '@/components/page-header';
import { SegmentedControl } from '@/components/segmented-control';
import { SettingsSkeleton } from '@/components/settings-section';
import { Page } from '@/components/shell/page';
import { useHasRole } from '@/components/shell/use-has-role';
import { BatchForm } from './batch/batch-form';
import { ComposeForm } from './compose/compose-form';
import { type ComposeValues, EMPTY_COMPOSE, parseRecipient } from './compose/compose-values';
import { readDraft } from './compose/use-draft';

const FIRST_DOMAIN = { active: true, limit: 1, sort: 'name', order: 'asc' } as const;
const MODES = { one: 'Single message', batch: 'Batch' };

const MODE = parseAsStringLiteral(['one', 'batch']).withDefault('one').withOptions({ history: 'push' });

export function SendPage() {
  const search = useSearchParams();
  const [mode, setMode] = useQueryState('mode', MODE);
  const me = trpc.auth.me.useQuery({}, { staleTime: 60_000 });
  const selectedId = search.get('domain');
  const utils = trpc.useUtils();
  prefetchDuringRender(() => utils.domains.list.prefetch(FIRST_DOMAIN));
  const selected = trpc.domains.get.useQuery({ id: selectedId ?? '' }, { enabled: selectedId !== null });
  const domains = trpc.domains.list.useQuery(FIRST_DOMAIN);
  const isReady = domains.data && (selectedId === null || selected.data || selected.isError);
  const domain = selected.data?.active ? selected.data.name : domains.data?.items[0]?.name;
  const email = me.data?.email;
  // Until the page runs, what is typed would be lost.
  const isRunning = useIsRunning();
  const draft = useMemo(() => (isRunning ? readDraft() : null), [isRunning]);

  return (
    <Page>
      <PageHeader title="Send" description="Send a message or a batch from one of your domains">
        <SegmentedControl
          label="Mode"
          value={mode}
          options={MODES}
          onChange={(chosenMode) => confirmLeave(() => void setMode(chosenMode === 'one' ? null : chosenMode))}
        />
      </PageHeader>
      {domains.isError && !domains.data && (
        <ErrorState what="your domains" error={domains.error} onRetry={() => void domains.refetch()} />
      )}
      {isReady && !domain && <NoDomain />}
      {isReady && domain && email && (
        <div inert={!isRunning}>
          {mode === 'one' ? (
            <ComposeForm key={draft ? 'draft' : 'new'} initial={initialOf(search, { domain, email, draft })} />
          ) : (
            <BatchForm domain={domain} email={email} />
          )}
        </div>
      )}
      {!domains.isError && !(isReady && email) && <SettingsSkeleton heights={[348, 352, 72, 73]} />}
    </Page>
  );
}

type Known = { domain: string; email: string; draft: ComposeValues | null };

function initialOf(search: URLSearchParams, { domain, email, draft }: Known): ComposeValues {
  const from = search.get('from') ?? '';
  if (search.get('test')) {
    return {
      ...EMPTY_COMPOSE,
      from: { email: `postmaster@${domain}` },
      to: [{ email }],
      subject: 'Test from Postroom',
      text_body: 'This is a test message from the Postroom console.\n',
    };
  }
  if (from !== '' || search.get('subject') || search.get('to')) {
    return {
      ...EMPTY_COMPOSE,
      from: { email: from.includes('@') ? from : `@${domain}` },
      to: search.getAll('to').map(parseRecipient),
      subject: search.get('subject') ?? '',
    };
  }
  return draft ?? { ...EMPTY_COMPOSE, from: { email: `@${domain}` } };
}

function NoDomain() {
  const canAddDomain = useHasRole('admin');
  return (
    <EmptyState title="No active domains">
      <p>
        You can send from an active domain.
        {canAddDomain && ' Add one, or activate one of yours.'}
        {canAddDomain === false && ' Ask a super admin to assign one.'}
      </p>
      {canAddDomain && (
        <Group pt="md">
          <Button
            component={NearLink}
            href="/domains?new=true"
            variant="outline"
            leftSection={<IconPlus stroke={1.75} />}
          >
            Add domain
          </Button>
        </Group>
      )}
    </EmptyState>
  );
}
