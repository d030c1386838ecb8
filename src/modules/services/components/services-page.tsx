'use client';

import { useState } from 'react';
import { toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import { EmptyState, ErrorState } from '@/components/data-table/states';
import { lazyDialog } from '@/components/dialogs/lazy-dialog';
import { Notice } from '@/components/layout/notice';
import { useListSearch } from '@/components/list/use-list-search';
import { useOpenOperation } from '@/components/list/use-open-operation';
import { NearLink } from '@/components/near-link';
import { notify } from '@/components/notifications';
import { PageHeader } from '@/components/page-header';
import { SettingsSkeleton } from '@/components/settings-section';
import { Page } from '@/components/shell/page';
import type { Orchestrator } from '../schema';
import { MailServer } from './mail-server';
import { OperationPanel } from './operation-panel';
import { type Request, titleOf } from './operation-texts';
import { RecentOperations } from './recent-operations';

const ConfirmOperation = lazyDialog(() => import('./confirm-operation').then((module) => module.ConfirmOperation));

const REFRESH_MS = 5_000;

/** @param isSandbox whether mail stays on this machine */
export function ServicesPage({ isSandbox }: { isSandbox: boolean }) {
  const utils = trpc.useUtils();
  const search = useListSearch({ filters: {} });
  const query = trpc.services.get.useQuery({}, { refetchInterval: REFRESH_MS, retry: false });
  const create = trpc.services.create.useMutation();
  const [asked, setAsked] = useState<Request | null>(null);
  const { data } = query;
  const { opened, open, close } = useOpenOperation(data?.running?.id);
  const refresh = () => void utils.services.invalidate();

  const start = async ({ action, service, host }: Request, isPreview: boolean) => {
    try {
      const input = { action, host, dry_run: isPreview, ...(service && { service }) };
      const { id } = await create.mutateAsync(input);
      open(id);
    } catch (error) {
      const problem = toProblem(error);
      const other = problem.details.operation_id;
      if (typeof other === 'string') open(other);
      notify({ text: `Couldn’t start: ${titleOf({ action, service })}`, problem });
    }
    setAsked(null);
    refresh();
  };

  return (
    <Page>
      <PageHeader title="Services" description="Mail server services and operations" />
      {query.isPending && <SettingsSkeleton heights={[240, 200]} />}
      {query.isError && !data && (
        <ErrorState what="the services" error={query.error} onRetry={() => void query.refetch()} />
      )}
      {data && !wasAttached(data) && <NoMailServer />}
      {data && wasAttached(data) && data.mail_server !== 'attached' && <SilentAgent />}
      {data &&
        hostsOf(data).map((host) => (
          <MailServer
            key={host}
            host={host}
            services={data.services.filter((each) => each.host === host)}
            relay={data.relays.find((each) => each.host === host) ?? null}
            isSandbox={isSandbox}
            isBusy={data.running !== null || create.isPending}
            onAsk={(request) => setAsked(request)}
            onPreview={(request) => void start(request, true)}
            onOpen={open}
          />
        ))}
      {opened && <OperationPanel key={opened} id={opened} onClose={close} onFinished={refresh} />}
      {data && wasAttached(data) && <RecentOperations search={search} openId={opened} onOpen={open} />}
      <ConfirmOperation
        opened={asked !== null}
        request={asked}
        isBusy={create.isPending}
        onClose={() => setAsked(null)}
        onConfirm={(request) => void start(request, false)}
      />
    </Page>
  );
}

function wasAttached({ mail_server: state, services }: Orchestrator): boolean {
  return state !== 'none' || services.length > 0;
}

function hostsOf({ services }: Orchestrator): string[] {
  return [...new Set(services.map(({ host }) => host))];
}

function NoMailServer() {
  return (
    <EmptyState title="No mail server is attached">
      <p>
        This page shows Postfix, Dovecot, Rspamd and Redis on a host that runs Postroom’s mail agent. No agent has
        reported in yet, so mail goes to the sandbox or to the server in <code>SMTP_URL</code>.
      </p>
      <p>
        To attach a mail server: on a Debian 12 or 13 host, run <code>deploy/mail/install</code> in Postroom’s folder,
        and start the agent with <code>systemctl start postroom-mail-agent</code> or <code>npm run mail-agent</code>.
        The steps are in the chapter <NearLink href="/docs/mail-server">Your own mail server</NearLink>.
      </p>
    </EmptyState>
  );
}

function SilentAgent() {
  return (
    <Notice status="failed" title="The mail agent is not responding" role="alert">
      <p>
        What its services do now is unknown, and no operation can start. Mail is received and delivered as long as they
        run, but mailboxes can’t submit by SMTP.
      </p>
      <p>
        On the mail server’s host, check <code>systemctl status postroom-mail-agent</code>, or run{' '}
        <code>npm run mail-agent</code> in Postroom’s folder. The agent needs a connection to the database. See also{' '}
        <NearLink href="/system/health">Health</NearLink>.
      </p>
    </Notice>
  );
}
