import classes from './email-address.module.css';

const MIN_LOCAL_PART = 8;

/** In a narrow place, only the local part is cut, or the domain gets lines of its own. */
export function EmailAddress({ value, isLight }: { value: string; isLight?: boolean }) {
  const at = value.lastIndexOf('@');
  return (
    <span className={classes.address} data-light={isLight || undefined} title={value}>
      {at > 0 && <b style={{ flexBasis: `${Math.min(at, MIN_LOCAL_PART)}ch` }}>{value.slice(0, at)}</b>}
      {at === 0 ? <b>{value}</b> : <i>{value.slice(Math.max(at, 0))}</i>}
    </span>
  );
}
