import classes from './logo.module.css';
export function Logo({ size = 28 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 28 28" className={classes.logo} aria-hidden="true">
      <circle cx="14" cy="14" r="13" fill="none" stroke="currentColor" strokeWidth="1.5" />
      <circle cx="14" cy="14" r="9.25" fill="currentColor" />
      <path d="m7.6 10.6 6.4 4.9 6.4-4.9" fill="none" stroke="var(--desk)" strokeWidth="1.5" />
    </svg>
  );
}
