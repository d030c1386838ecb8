import classes from './skeleton.module.css';

/** Stands in for text that is loading. */
export function Skeleton({ width }: { width?: number }) {
  return <span className={classes.skeleton} style={{ width }} />;
}
