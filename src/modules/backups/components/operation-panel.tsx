'use client';

import { Button, Progress } from '@mantine/core';
import { ErrorState } from '@/components/data-table/states';
import { SectionHeading } from '@/components/layout/section-heading';
import { StatusMark } from '@/components/marks/status-mark';
import { LocalText } from '@/components/values/local-text';
import { formatElapsed, formatMoment } from '@/lib/format';
import type { BackupOperation } from '../schema';
import { Differences } from './restore/differences';
import { messageOf, progressText, STATE_MARKS, titleOf } from './texts';
import { useBackupOperation } from './use-backup-operation';

type OperationPanelProps = { id: string; onClose: () => void; onFinished: () => void };

/** An operation with its progress, and its result. */
export function OperationPanel({ id, onClose, onFinished }: OperationPanelProps) {
  const { data: operation, error } = useBackupOperation(id, onFinished);
  const [mark, word] = STATE_MARKS[operation?.state ?? 'running'];
  return (
    <section aria-label="Operation">
      <SectionHeading title={operation ? titleOf(operation) : 'Operation'}>
        {operation && <StatusMark status={mark}>{word}</StatusMark>}
        <span className="spacer" />
        <Button size="xs" onClick={onClose}>
          Close
        </Button>
      </SectionHeading>
      {operation ? (
        <>
          <OperationProgress operation={operation} />
          <p className="soft">
            {operation.requested_by?.email ?? 'Not requested by an admin'},{' '}
            <LocalText>{() => formatMoment(operation.started_at)}</LocalText>, on{' '}
            <span className="mono">{operation.runner}</span>
            {operation.finished_at && <>, took {formatElapsed(operation.started_at, operation.finished_at).slice(1)}</>}
            {error !== null && <>. Not up to date: the server isn’t responding</>}
          </p>
          {operation.result && <Differences differences={operation.result.differences} />}
        </>
      ) : (
        (error && <ErrorState what="the operation" error={error} />) || <p className="soft">Loading…</p>
      )}
    </section>
  );
}

export function OperationProgress({ operation }: { operation: BackupOperation }) {
  const { finished_at: finishedAt, progress } = operation;
  const percent = progress.tables_total > 0 ? (100 * progress.tables_done) / progress.tables_total : 0;
  return (
    <>
      <p role="status">{messageOf(operation)}</p>
      {finishedAt === null && (
        <>
          <Progress value={percent} animated aria-label="Progress" my="xs" />
          <p className="soft">{progressText(progress)}</p>
        </>
      )}
    </>
  );
}
