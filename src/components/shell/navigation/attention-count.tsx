import classes from './attention-count.module.css';

/** From here on, a count shows that there are more. */
const MAX_SHOWN = 99;

type AttentionCountProps = { count: number | undefined; critical: number | undefined };

/** How many objects of a section need attention: what fails, or otherwise the warnings. It is apart from the section's link, so that the link keeps its name. */
export function AttentionCount({ count: all, critical }: AttentionCountProps) {
  const count = critical || all;
  if (!count) return null;
  const shown = count > MAX_SHOWN ? `${MAX_SHOWN}+` : count;
  return (
    <span className={classes.count} data-warning={!critical || undefined}>
      {shown}
      <span className="sr-only"> {count === 1 ? 'needs' : 'need'} attention</span>
    </span>
  );
}
