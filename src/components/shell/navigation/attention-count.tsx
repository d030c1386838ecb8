import classes from './attention-count.module.css';

/** From here on, a count shows that there are more. */
const MAX_SHOWN = 99;

type AttentionCountProps = { count: number; isCritical: boolean };

/** It is apart from the section's link, so that the link keeps its name. */
export function AttentionCount({ count, isCritical }: AttentionCountProps) {
  if (count === 0) return null;
  const shown = count > MAX_SHOWN ? `${MAX_SHOWN}+` : count;
  return (
    <span className={classes.count} data-warning={!isCritical || undefined}>
      {shown}
      <span className="sr-only"> {count === 1 ? 'needs' : 'need'} attention</span>
    </span>
  );
}
