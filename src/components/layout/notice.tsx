import type { ReactNode } from 'react';
import { STATUSES, type Status, StatusMark } from '../marks/status-mark';
import classes from './notice.module.css';

type NoticeProps = { status: Status; title: ReactNode; role?: 'alert'; children?: ReactNode };

export function Notice({ status, title, role, children }: NoticeProps) {
  return (
    <div className={classes.notice} data-tone={STATUSES[status][1]} role={role}>
      <StatusMark status={status}>{title}</StatusMark>
      {children}
    </div>
  );
}
