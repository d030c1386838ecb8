'use client';

import { Button } from '@mantine/core';
import { useState } from 'react';
import { lazyDialog } from '@/components/dialogs/lazy-dialog';
import { IconArrowBackUp } from '@/components/icons/icons';
import { useHasRole } from '@/components/shell/use-has-role';
import { TimeAgo } from '@/components/values/time-ago';
import type { AuditEntry } from '../../schema';
import { ChangeList } from '../change-list';
import { entryChanges } from '../entry-changes';
import { historySentenceOf } from '../sentences/sentence';
import classes from './history.module.css';
import { RECORDS } from './records';
import { kindOf, type RestorableKind, restoredValues, whyNotRestored } from './restored-values';

const RestoreDialog = lazyDialog(() => import('./restore-dialog').then((module) => module.RestoreDialog));

/** One change of a record: who made it, when, and what changed, with a way back where there is one. */
export function HistoryEntry({ entry }: { entry: AuditEntry }) {
  const { actor, via, verb, after } = historySentenceOf(entry);
  const changes = entryChanges(entry);
  const values = restoredValues(entry);
  const reason = whyNotRestored(entry);
  return (
    <li className={classes.entry} aria-label={[actor, via, verb].filter(Boolean).join(' ')}>
      <div className={classes.head}>
        <p>
          <b className="strong">{actor}</b> {via} {verb} {after}
          <span className={classes.time}>
            <TimeAgo iso={entry.created_at} />
          </span>
        </p>
        {values && <RestoreButton entry={entry} values={values} />}
      </div>
      {changes && changes.length > 0 && <ChangeList changes={changes} label="What changed" />}
      {reason && <p className={classes.reason}>{reason}</p>}
    </li>
  );
}

type RestoreButtonProps = { entry: AuditEntry; values: NonNullable<ReturnType<typeof restoredValues>> };

function RestoreButton({ entry, values }: RestoreButtonProps) {
  const [opened, setOpened] = useState(false);
  const canChange = useHasRole(RECORDS[kindOf(entry) as RestorableKind].role);
  if (!canChange) return null;
  return (
    <>
      <Button size="xs" leftSection={<IconArrowBackUp stroke={1.5} />} onClick={() => setOpened(true)}>
        Restore this value
      </Button>
      <RestoreDialog opened={opened} entry={entry} values={values} onClose={() => setOpened(false)} />
    </>
  );
}
