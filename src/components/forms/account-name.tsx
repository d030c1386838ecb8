/** Tells password managers whose password a form sets. Without it, they take it for the password of the admin who is signed in. */
export function AccountName({ name }: { name: string }) {
  return <input className="sr-only" autoComplete="username" tabIndex={-1} aria-hidden="true" readOnly value={name} />;
}
