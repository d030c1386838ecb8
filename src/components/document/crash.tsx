'use client';

import { Note } from '../layout/note';
import { StatusMark } from '../marks/status-mark';
import { Page } from '../shell/page';
import { DetailsList } from '../text/details-list';
import classes from './crash.module.css';

export function Crash({ digest }: { digest: string | undefined }) {
  return (
    <Page>
      <Note role="alert">
        <StatusMark status="failed">Page error</StatusMark>
        <h1>This page couldn’t be displayed</h1>
        <p>Reload the page. If it fails again, report a bug{digest ? ' with the code below' : ''}.</p>
        <Reload />
        {digest && (
          <DetailsList>
            <dt>Code</dt>
            <dd className="mono">{digest}</dd>
          </DetailsList>
        )}
      </Note>
    </Page>
  );
}

export function Reload() {
  return (
    <button type="button" className={classes.button} onClick={() => window.location.reload()}>
      Reload
    </button>
  );
}
