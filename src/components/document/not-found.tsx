import Link from 'next/link';
import { Logo } from '../marks/logo';

export function NotFound() {
  return (
    <main className="plain-page">
      <Logo size={28} />
      <h1>No page has this address</h1>
      <p className="soft">The link may be old, or a letter is missing.</p>
      <p>
        <Link className="act" href="/">
          Open the overview
        </Link>
      </p>
    </main>
  );
}
