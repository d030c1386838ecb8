'use client';

import { Button } from '@mantine/core';
import { useState } from 'react';
import { DialogFields, DialogFooter, DialogFrame } from '../dialogs/dialog';
import classes from './conflict-dialog.module.css';
import type { Conflict } from './use-saved-form';

/** Shows both values of each field after another change was saved, and lets the admin choose. */
export function ConflictDialog({ conflict }: { conflict: Conflict | null }) {
  // While the dialog fades out, there is no conflict any more.
  const [shown, setShown] = useState(conflict);
  if (conflict !== null && conflict !== shown) setShown(conflict);
  return (
    <DialogFrame
      opened={conflict !== null}
      onClose={() => conflict?.onClose()}
      // A dialog with the form opens again at once, and Mantine would close that too, with the same key.
      closeOnEscape={false}
      onKeyDown={({ key }) => key === 'Escape' && conflict?.onClose()}
      title="Changed by someone else"
      size={608}
    >
      {shown && (
        <>
          <DialogFields>
            <p className="soft">
              Another change was saved after you opened this form, so yours isn’t saved yet. Overwriting saves only the
              fields that you changed.
            </p>
            {shown.fields.map(({ label, yours, current }) => (
              <section key={label} className={classes.field} aria-label={label}>
                <h3>{label}</h3>
                <dl>
                  <div>
                    <dt>Yours</dt>
                    <dd className={yours === null ? 'quiet' : undefined}>{yours ?? 'Not changed by you'}</dd>
                  </div>
                  <div>
                    <dt>Current</dt>
                    <dd>{current}</dd>
                  </div>
                </dl>
              </section>
            ))}
          </DialogFields>
          <DialogFooter>
            <span className="spacer" />
            <div className={classes.choices}>
              <Button onClick={shown.onReload}>Keep editing with the current values</Button>
              <Button className="danger" onClick={shown.onOverwrite}>
                Overwrite
              </Button>
            </div>
          </DialogFooter>
        </>
      )}
    </DialogFrame>
  );
}
