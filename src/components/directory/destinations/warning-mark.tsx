import { StatusMark } from '../../marks/status-mark';
import classes from './warning-mark.module.css';

export function WarningMark({ title, children }: { title: string; children: string }) {
  return (
    <span className={classes.mark} title={title}>
      <StatusMark status="warning">{children}</StatusMark>
    </span>
  );
}
