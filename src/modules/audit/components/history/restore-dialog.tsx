'use client';

import { useMutation, useQuery } from '@tanstack/react-query';
import { isVersionConflict, toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { Dialog } from '@/components/dialogs/dialog';
import { Skeleton } from '@/components/marks/skeleton';
import { notify } from '@/components/notifications';
import { useDomainNames } from '@/components/pickers/use-domain-names';
import { type RecordFields, recordChanges } from '@/lib/changes/record-changes';
import type { AuditEntry } from '../../schema';
import { ChangeList } from '../change-list';
import type { Part } from '../sentences/part';
import { RECORDS } from './records';
import { idOf, kindOf, type RestorableKind } from './restored-values';

type RestoreDialogProps = { opened: boolean; entry: AuditEntry; values: Part; onClose: () => void };

/** Shows what restoring the values before a change would change now, and does it by an ordinary update of the record. */
export function RestoreDialog({ opened, entry, values, onClose }: RestoreDialogProps) {
  const utils = trpc.useUtils();
  const [id, kind] = [idOf(entry), kindOf(entry) as RestorableKind];
  const record = RECORDS[kind];
  // Read each time the dialog opens, since what would change depends on the record as it is now.
  const current = useQuery({
    queryKey: ['restore', entry.id],
    queryFn: () => record.load(utils, id),
    enabled: opened,
    staleTime: 0,
  });
  const loaded = current.isFetching ? undefined : current.data;
  const restore = useMutation({
    mutationKey: [[record.module, 'restore']],
    mutationFn: (loaded: NonNullable<typeof current.data>) => loaded.save(values),
    onSuccess: async () => {
      onClose();
      notify({ text: `Restored ${entry.resource_name ?? 'the former value'}` });
      await Promise.all([record.refresh(utils), utils.audit.invalidate()]);
    },
    // After a version conflict, the dialog loads the record again and shows the changes that restoring would make now.
    onError: (error) => isVersionConflict(toProblem(error)) && void current.refetch(),
  });
  const present = loaded && pick(loaded.record, Object.keys(values));
  const domains = useDomainNames(domainIdsOf(present));
  const changes = present && recordChanges(present, values, { ...entry.names, ...Object.fromEntries(domains) });
  const problem = current.error ?? restore.error;

  return (
    <Dialog
      opened={opened}
      title="Restore this value"
      action="Restore"
      isBusy={restore.isPending}
      isDisabled={!changes || changes.length === 0}
      onClose={onClose}
      onSubmit={(event) => {
        event.preventDefault();
        if (loaded) restore.mutate(loaded);
      }}
    >
      {!changes && !current.isError && (
        <div aria-busy="true" style={{ minHeight: 96 }}>
          <Skeleton width={240} />
        </div>
      )}
      {changes?.length === 0 && (
        <p className="soft">{entry.resource_name ?? 'The record'} has this value already. Nothing would change.</p>
      )}
      {changes && changes.length > 0 && (
        <>
          <p className="soft">
            This changes {entry.resource_name ?? 'the record'} back to what it was before this change. It takes effect
            immediately and is recorded as a change of yours.
          </p>
          <ChangeList changes={changes} label="What would change" />
        </>
      )}
      <ProblemAlert
        title={current.isError ? 'Couldn’t load the current value' : 'Couldn’t restore this value'}
        problem={problem && toProblem(problem)}
      />
    </Dialog>
  );
}

function pick(record: RecordFields, fields: string[]): RecordFields {
  return Object.fromEntries(fields.map((field) => [field, record[field]]));
}

function domainIdsOf(record: RecordFields | undefined): string[] {
  const ids = record?.domain_ids;
  return Array.isArray(ids) ? ids.map(String) : [];
}
