import { StatusMark } from '../../marks/status-mark';
import classes from './warning-mark.module.css';

/** On small screens only its shape is shown. */
export function WarningMark({ title, children }: { title: string; children: string }) {
  return (
    <span className={classes.mark} title={title}>
      <StatusMark status="warning">{children}</StatusMark>
    </span>
  );
}
