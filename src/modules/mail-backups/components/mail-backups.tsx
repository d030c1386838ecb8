'use client';

import { Box, Button } from '@mantine/core';
import { useState } from 'react';
import { toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import { DataTable } from '@/components/data-table/data-table';
import { ErrorState, NoRows } from '@/components/data-table/states';
import { lazyDialog } from '@/components/dialogs/lazy-dialog';
import { Figures } from '@/components/layout/figures';
import { Notice } from '@/components/layout/notice';
import { SectionHeading } from '@/components/layout/section-heading';
import { ExportButton } from '@/components/list/export-csv';
import { StatusMark } from '@/components/marks/status-mark';
import { NearLink } from '@/components/near-link';
import { notify } from '@/components/notifications';
import { DetailsList } from '@/components/text/details-list';
import { PathText } from '@/components/text/path-text';
import { TimeAgo } from '@/components/values/time-ago';
import { formatBytes, formatPlural } from '@/lib/format';
import { REPOSITORY_DAMAGED } from '@/lib/mail/operations';
import { snapshotList } from '../lists';
import type { MailServerBackup, MailSnapshot } from '../schema';
import { snapshotColumns } from './snapshot-columns';

const RestoreMailboxDialog = lazyDialog(() =>
  import('./restore-mailbox-dialog').then((module) => module.RestoreMailboxDialog),
);

const REFRESH_MS = 10_000;

/** The snapshots of the mail servers, and what can be done with them. */
export function MailBackups() {
  const query = trpc.mailBackups.get.useQuery({}, { refetchInterval: REFRESH_MS, retry: false });
  const start = trpc.mailBackups.start.useMutation();
  const check = trpc.mailBackups.check.useMutation();
  const [operation, setOperation] = useState<string | null>(null);
  const [restoring, setRestoring] = useState<MailSnapshot | null>(null);
  const running = query.data?.running_operation_id ?? null;
  const isBusy = start.isPending || check.isPending || running !== null;
  const shown = running ?? operation;
  const run = async (what: string, begin: () => Promise<{ id: string }>) => {
    try {
      setOperation((await begin()).id);
    } catch (error) {
      const problem = toProblem(error);
      const other = problem.details.operation_id;
      if (typeof other === 'string') setOperation(other);
      notify({ text: `Couldn’t ${what}.`, problem });
    }
  };
  const { data, error } = query;
  // The heading of the section is then that of the server, too.
  const only = data?.mail_servers.length === 1 ? data.mail_servers[0] : undefined;
  const actions = {
    isBusy,
    onCheck: (host: string) => void run('start the check', () => check.mutateAsync({ host })),
    onStart: (host: string) => void run('start the backup', () => start.mutateAsync({ host })),
  };

  return (
    <section aria-label="Mail snapshots">
      <SectionHeading
        title={
          only ? (
            <>
              Mail snapshots <span className="mono">{only.host}</span>
            </>
          ) : (
            'Mail snapshots'
          )
        }
      >
        <span className="spacer" />
        {data && data.mail_servers.length > 0 && <ExportButton list={snapshotList} />}
        {only && <ServerActions server={only} {...actions} />}
      </SectionHeading>
      {error && !data && <ErrorState what="the backups of mail" error={error} onRetry={() => void query.refetch()} />}
      {data?.mail_servers.length === 0 && (
        <NoRows>
          No mail server is attached. Once one is, its mailboxes are backed up too: see{' '}
          <NearLink href="/system/services">Services</NearLink>.
        </NoRows>
      )}
      {shown && (
        <Notice
          status="submitting"
          title={running ? 'The mail agent is at work' : 'The mail agent has been asked to do it'}
        >
          <p>
            <NearLink href={`/system/services?operation=${shown}`}>See how it goes</NearLink>
          </p>
        </Notice>
      )}
      {data?.mail_servers.map((server) => (
        <div key={server.host}>
          {!only && (
            <SectionHeading level={3} title={<span className="mono">{server.host}</span>}>
              <span className="spacer" />
              <ServerActions server={server} {...actions} />
            </SectionHeading>
          )}
          <MailServer server={server} latest={data.snapshots.find(({ host }) => host === server.host)} />
          <DataTable
            caption={`Snapshots of ${server.host}, newest first`}
            columns={snapshotColumns({ isBusy, onRestore: setRestoring })}
            rows={data.snapshots.filter(({ host }) => host === server.host)}
          />
        </div>
      ))}
      <RestoreMailboxDialog
        opened={restoring !== null}
        snapshot={restoring}
        onClose={() => setRestoring(null)}
        onStarted={(id) => {
          setRestoring(null);
          setOperation(id);
        }}
      />
    </section>
  );
}

type ServerActionsProps = {
  server: MailServerBackup;
  isBusy: boolean;
  onCheck: (host: string) => void;
  onStart: (host: string) => void;
};

function ServerActions({ server: { host, repository }, isBusy, onCheck, onStart }: ServerActionsProps) {
  return (
    <>
      <Button disabled={isBusy || repository === null} onClick={() => onCheck(host)}>
        Check repository
      </Button>
      <Button disabled={isBusy} onClick={() => onStart(host)}>
        Back up mail now
      </Button>
    </>
  );
}

function MailServer({ server, latest }: { server: MailServerBackup; latest: MailSnapshot | undefined }) {
  // The page has asked for it, too.
  const { data: plan } = trpc.backups.plan.useQuery({}, { retry: false });
  // The schedule is that of the database, whose first backup makes the key.
  const next = server.next_run_at ?? plan?.schedule?.next_run_at;
  const { repository, failure, last_failure_at: failedAt, check_failure: checkFailure } = server;
  const isDamaged = checkFailure === REPOSITORY_DAMAGED;
  return (
    <>
      {failedAt && (
        <Notice status="failed" title="The last backup failed">
          <p>{failure}</p>
        </Notice>
      )}
      {checkFailure && (
        <Notice
          status={isDamaged ? 'failed' : 'warning'}
          title={isDamaged ? 'The last check found damage' : 'The last check failed'}
        >
          <p>{checkFailure}</p>
        </Notice>
      )}
      <Figures
        figures={[
          {
            key: 'last',
            title: 'Last mail backup',
            value: timeOf(server.last_success_at, 'None'),
            caption: latest && sizeOf(latest),
          },
          {
            key: 'check',
            title: 'Last mail check',
            value: timeOf(server.last_check_at, 'None'),
            caption: server.last_check_at && checkCaption(checkFailure),
          },
          {
            key: 'next',
            title: 'Next mail backup',
            value: next ? <TimeAgo iso={next} /> : plan && 'Off',
            caption: next
              ? !server.next_run_at && 'After the database backup'
              : plan && <StatusMark status="warning">BACKUP_TIME is off</StatusMark>,
          },
        ]}
      />
      <Box py="md">
        <DetailsList>
          <dt>Repository</dt>
          <dd className="mono">
            <PathText>{repository ?? 'Made by the first backup'}</PathText>
          </dd>
        </DetailsList>
      </Box>
    </>
  );
}

function checkCaption(failure: string): string {
  if (failure === '') return 'Found no damage';
  return failure === REPOSITORY_DAMAGED ? 'Found damage' : 'Could not be made';
}

function sizeOf({ size_bytes: size, files }: MailSnapshot): string {
  const parts = [size !== null && formatBytes(size), files !== null && formatPlural(files, 'file')];
  return parts.filter(Boolean).join(', ');
}

function timeOf(iso: string | null, missing: string) {
  return iso ? <TimeAgo iso={iso} /> : missing;
}
