import Link from 'next/link';
import { Logo } from '../marks/logo';
import classes from './not-found.module.css';

export function NotFound() {
  return (
    <main className={classes.page}>
      <Logo size={28} />
      <h1>Page not found</h1>
      <p className="soft">The link may be outdated or mistyped.</p>
      <p>
        <Link className="act" href="/">
          Go to overview
        </Link>
      </p>
    </main>
  );
}
