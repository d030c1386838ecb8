import classes from './email-address.module.css';

export function EmailAddress({ value, isLight }: { value: string; isLight?: boolean }) {
  const at = value.lastIndexOf('@');
  return (
    <span className={classes.address} data-light={isLight || undefined} title={value}>
      {at > 0 && <b style={{ minWidth: `${Math.min(at, 12)}ch` }}>{value.slice(0, at)}</b>}
      {at === 0 ? <b>{value}</b> : <i>{value.slice(Math.max(at, 0))}</i>}
    </span>
  );
}
