'use client';

import { Button } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { Notice } from '@/components/layout/notice';
import type { Failure } from '@/components/list/use-row-actions';
import { formatPlural } from '@/lib/format';
import type { QueuedMessage } from '../schema';
import classes from './bulk-result.module.css';

export type BulkOutcome = {
  action: 'retry' | 'hold' | 'release' | 'delete';
  done: QueuedMessage[];
  failures: Failure<QueuedMessage>[];
};

type BulkResultProps = { outcome: BulkOutcome; onDismiss: () => void };

const DONE = { retry: 'Retrying', hold: 'Held', release: 'Released', delete: 'Deleted' } as const;
const FAILED = {
  retry: 'Couldn’t retry',
  hold: 'Couldn’t hold',
  release: 'Couldn’t release',
  delete: 'Couldn’t delete',
} as const;

/** The result of an action on several messages that failed for some of them. */
export function BulkResult({ outcome, onDismiss }: BulkResultProps) {
  const { action, done, failures } = outcome;
  const panel = useRef<HTMLElement>(null);
  useEffect(() => panel.current?.focus(), []);
  const failed = `${FAILED[action]} ${formatPlural(failures.length, 'message')}`;
  const title = done.length === 0 ? failed : `${DONE[action]} ${formatPlural(done.length, 'message')}. ${failed}`;
  return (
    <section ref={panel} className={classes.result} tabIndex={-1} aria-label="Result">
      <Notice status="warning" title={title}>
        <ul className={classes.failures}>
          {failures.map(({ row, problem }) => (
            <li key={row.queue_id}>
              <span className="mono">{row.recipients[0]?.address ?? row.queue_id}</span>
              {row.recipient_count > 1 && <span className="quiet"> +{row.recipient_count - 1}</span>}: {problem.message}
            </li>
          ))}
        </ul>
        <Button size="xs" onClick={onDismiss}>
          Dismiss
        </Button>
      </Notice>
    </section>
  );
}
