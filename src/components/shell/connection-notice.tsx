'use client';

import { useOffline } from 'next/offline';
import { retryConnection, useBrowserOnline, useServerUnreachable } from '../api/connection';
import { StatusMark } from '../marks/status-mark';
import { TextButton } from '../text/text-button';
import classes from './connection-notice.module.css';

/** Says below the bar that the browser is offline or that the server doesn't respond, for as long as that is so. */
export function ConnectionNotice() {
  const isOnline = useBrowserOnline();
  const isUnreachable = useServerUnreachable();
  // The router waits with a navigation until the server responds.
  const isRouterWaiting = useOffline();
  if (!isOnline) {
    return (
      <div className={classes.notice} role="alert" data-notice>
        <StatusMark status="warning">You’re offline.</StatusMark>
        <span className="only-wide">This page may be out of date. It’s refreshed when you’re online again.</span>
      </div>
    );
  }
  if (!isUnreachable && !isRouterWaiting) return null;
  return (
    <div className={classes.notice} role="alert" data-notice>
      <StatusMark status="warning">The server isn’t responding.</StatusMark>
      <span className="only-wide">This page may be out of date. It’s refreshed when the server responds.</span>
      {isUnreachable && <TextButton onClick={retryConnection}>Retry now</TextButton>}
    </div>
  );
}
