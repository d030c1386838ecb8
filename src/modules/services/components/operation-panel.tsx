'use client';

import { Button } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { ErrorState } from '@/components/data-table/states';
import { SectionHeading } from '@/components/layout/section-heading';
import { StatusMark } from '@/components/marks/status-mark';
import { RawText } from '@/components/text/raw-text';
import { LocalText } from '@/components/values/local-text';
import { formatElapsed, formatMoment } from '@/lib/format';
import type { Operation, OutputLine } from '../schema';
import classes from './operation-panel.module.css';
import { OPERATION_MARKS, operationTitle } from './operation-texts';
import { useOperation } from './use-operation';

type OperationPanelProps = { id: string; onClose: () => void; onFinished: () => void };

/** An operation with its output, as it comes. */
export function OperationPanel({ id, onClose, onFinished }: OperationPanelProps) {
  const { followed, error } = useOperation(id, onFinished);
  const close = (
    <>
      <span className="spacer" />
      <Button size="xs" onClick={onClose}>
        Close
      </Button>
    </>
  );
  if (!followed) {
    return (
      <section aria-label="Operation">
        <SectionHeading title="Operation">{close}</SectionHeading>
        {error ? <ErrorState what="the operation" error={error} /> : <p className="soft">Loading…</p>}
      </section>
    );
  }
  const { operation, lines } = followed;
  const [mark, word] = OPERATION_MARKS[operation.state];
  return (
    <section aria-label="Operation" className={classes.panel}>
      <SectionHeading title={operationTitle(operation)}>
        <StatusMark status={mark}>{word}</StatusMark>
        {close}
      </SectionHeading>
      <p role="status">{messageOf(operation)}</p>
      <p className="soft">
        {operation.requested_by?.email ?? 'Schedule'}, <LocalText>{() => formatMoment(operation.created_at)}</LocalText>
        {operation.started_at && operation.finished_at && (
          <>, took {formatElapsed(operation.started_at, operation.finished_at).slice(1)}</>
        )}
        {error !== null && <>. Not up to date: the server isn’t responding</>}
      </p>
      {(lines.length > 0 || operation.finished_at === null) && <Output lines={lines} />}
    </section>
  );
}

function Output({ lines }: { lines: OutputLine[] }) {
  const end = useRef<HTMLPreElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: new lines are shown unless the reader has scrolled up.
  useEffect(() => {
    const element = end.current;
    if (element && element.scrollHeight - element.scrollTop - element.clientHeight < MAX_DISTANCE_PX)
      element.scrollTop = element.scrollHeight;
  }, [lines.length]);
  return (
    <RawText ref={end} tabIndex={0} role="log" aria-label="Output" aria-live="off" className={classes.output}>
      {lines.length === 0 && 'Waiting for the mail agent…'}
      {lines.map(({ number, kind, text }) => (
        <span key={number} data-kind={kindOf(kind, text)}>
          {kind === 'error' ? `Error: ${text}` : text}
          {'\n'}
        </span>
      ))}
    </RawText>
  );
}

const MAX_DISTANCE_PX = 200;

function kindOf(kind: OutputLine['kind'], text: string): string {
  if (kind !== 'diff') return kind;
  if (text.startsWith('+')) return 'added';
  return text.startsWith('-') ? 'removed' : 'diff';
}

function messageOf({ state, message, host }: Operation): string {
  if (message) return message;
  if (state === 'queued') return `Waiting for the mail agent on ${host} to start it.`;
  return `Running on ${host}. It goes on if you leave this page.`;
}
