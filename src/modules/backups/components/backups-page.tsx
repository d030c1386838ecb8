'use client';

import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { prefetchDuringRender } from '@/components/api/prefetch-during-render';
import { type Problem, toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import { NoRows } from '@/components/data-table/states';
import { ConfirmDialog } from '@/components/dialogs/confirm-dialog';
import { lazyDialog } from '@/components/dialogs/lazy-dialog';
import { SectionHeading } from '@/components/layout/section-heading';
import { ExportButton } from '@/components/list/export-csv';
import { ListView } from '@/components/list/list-view';
import { useList } from '@/components/list/use-list';
import { useListSearch } from '@/components/list/use-list-search';
import { useOpenOperation } from '@/components/list/use-open-operation';
import { notify } from '@/components/notifications';
import { PageHeader } from '@/components/page-header';
import { SettingsSkeleton } from '@/components/settings-section';
import { Page } from '@/components/shell/page';
import { PathText } from '@/components/text/path-text';
import { backupList } from '../lists';
import type { Backup, BackupPlan as BackupPlanData } from '../schema';
import { backupColumns } from './backup-columns';
import { BackupPlan } from './backup-plan';
import { OperationPanel } from './operation-panel';

const RestoreDialog = lazyDialog(() => import('./restore/restore-dialog').then((module) => module.RestoreDialog));

const PAGE_SIZE = 25;
const REFRESH_MS = 5_000;

/** @param mail the section about backups of mail */
export function BackupsPage({ mail }: { mail: ReactNode }) {
  const utils = trpc.useUtils();
  const search = useListSearch({ filters: {} });
  prefetchDuringRender(() => utils.backups.plan.prefetch({}));
  const list = useList(backupList, trpc.backups.list, {
    search,
    input: {},
    limit: PAGE_SIZE,
    refetchInterval: REFRESH_MS,
    retry: false,
  });
  const plan = trpc.backups.plan.useQuery({}, { refetchInterval: REFRESH_MS, retry: false });
  const create = trpc.backups.create.useMutation();
  const verify = trpc.backups.verify.useMutation();
  const prove = trpc.backups.prove.useMutation();
  const remove = trpc.backups.delete.useMutation();
  const [restoring, setRestoring] = useState<Backup | null>(null);
  const [deleting, setDeleting] = useState<Backup | null>(null);
  const runningId = plan.data?.running?.id;
  const { opened, open, close } = useOpenOperation(runningId);
  const refresh = () => void utils.backups.invalidate();
  // At once, so that nothing moves.
  const isLoading = plan.isPending || list.query.isPending;
  const isStarting = create.isPending || verify.isPending || prove.isPending;

  const start = async (what: string, run: () => Promise<string | null>) => {
    try {
      open(await run());
    } catch (error) {
      const problem: Problem = toProblem(error);
      const other = problem.details.operation_id;
      if (typeof other === 'string') open(other);
      notify({ text: `Couldn’t ${what}.`, problem });
    }
    refresh();
  };
  const backUp = async () => {
    const { id } = await create.mutateAsync({});
    const { items } = await utils.client.backups.operations.query({ limit: 1 });
    return items.find((operation) => operation.backup_id === id)?.id ?? null;
  };
  const columns = backupColumns({
    isBusy: isStarting || runningId !== undefined,
    onRestore: setRestoring,
    onProve: ({ id }) => void start('start the proof', async () => (await prove.mutateAsync({ id })).id),
    onVerify: ({ id }) => void start('start the verification', async () => (await verify.mutateAsync({ id })).id),
    onDelete: setDeleting,
  });

  return (
    <Page>
      <PageHeader title="Backups" description="Encrypted archives of the database, and snapshots of the mail">
        <Button
          variant="filled"
          loading={create.isPending}
          disabled={runningId !== undefined}
          onClick={() => void start('start the backup', backUp)}
        >
          Back up database now
        </Button>
      </PageHeader>
      {isLoading ? (
        <SettingsSkeleton heights={[176, 320]} />
      ) : (
        <>
          <BackupPlan query={plan} />
          {opened && <OperationPanel key={opened} id={opened} onClose={close} onFinished={refresh} />}
          <section aria-label="Database archives">
            <SectionHeading title="Database archives">
              <span className="spacer" />
              <ExportButton list={list} />
            </SectionHeading>
            <ListView
              list={list}
              empty={<NoRows>No backups yet.</NoRows>}
              caption="Backups, newest first"
              columns={columns}
              expanded={(backup) => noteOf(backup, plan.data)}
              skeletonRows={7}
            />
          </section>
          {mail}
        </>
      )}
      <RestoreDialog
        opened={restoring !== null}
        backup={restoring}
        onClose={() => setRestoring(null)}
        onStarted={(id) => {
          setRestoring(null);
          open(id);
          refresh();
        }}
      />
      <ConfirmDialog
        opened={deleting !== null}
        title="Delete a backup"
        action="Delete"
        problem={remove.error && toProblem(remove.error)}
        isBusy={remove.isPending}
        onClose={() => {
          setDeleting(null);
          remove.reset();
        }}
        onConfirm={() =>
          deleting &&
          remove.mutate(
            { id: deleting.id },
            {
              onSuccess: ({ message }) => {
                setDeleting(null);
                refresh();
                notify({ text: message, takesFocus: true });
              },
            },
          )
        }
      >
        <p>
          <span className="mono">{deleting?.name}</span>
        </p>
        <p className="soft">The archive is deleted from {deleting?.location}. It can’t be brought back.</p>
      </ConfirmDialog>
    </Page>
  );
}

const ADVICE = / Check BACKUP_TARGET.*$/;

/** Whether a later backup succeeded, why this one or its proof failed, and where the archive went if new ones go elsewhere. */
function noteOf({ error, proof, location, started_at: at }: Backup, plan: BackupPlanData | undefined) {
  const note = error ?? (proof.state === 'failed' ? proof.message : null);
  if (!note) return null;
  const isOver = error && plan?.last_completed && plan.last_completed.started_at > at;
  return (
    <>
      {isOver && <p>No action needed: a later backup completed.</p>}
      <p className={isOver ? 'soft' : undefined}>{isOver ? note.replace(ADVICE, '') : note}</p>
      {plan && location !== plan.location && (
        <p className="soft">
          BACKUP_TARGET was{' '}
          <span className="mono">
            <PathText>{location}</PathText>
          </span>{' '}
          then.
        </p>
      )}
    </>
  );
}
