'use client';

import type { ComponentType } from 'react';
import { Reload } from './document/crash';
import crash from './document/crash.module.css';
import classes from './load-part.module.css';
import { StatusMark } from './marks/status-mark';

export type Closable = { opened?: boolean; onClose?: () => void };

/** Returns a part of a page, or if its script can’t be loaded a notice in its place, so that the rest of the page stays. */
export function loadPart<Props extends object>(
  part: Promise<ComponentType<Props>>,
): Promise<ComponentType<Props & Closable>> {
  return part.catch((error: Error) => {
    // Turbopack has asked for the script twice.
    if (error.name !== 'ChunkLoadError') throw error;
    return LoadFailed;
  });
}

/** Floats above the page in the place of what can be closed, such as a dialog. */
function LoadFailed({ opened = true, onClose }: Closable) {
  if (!opened) return null;
  return (
    <div role="alert" className={classes.notice} data-floating={onClose !== undefined || undefined}>
      <StatusMark status="failed">Couldn’t load this part of the page</StatusMark>
      <p className="soft">
        The connection failed, or Postroom was upgraded. Reload the page; changes that aren’t saved are lost.
      </p>
      <div className={classes.buttons}>
        <Reload />
        {onClose && (
          <button type="button" className={crash.button} onClick={onClose}>
            Close
          </button>
        )}
      </div>
    </div>
  );
}
