import type { ReactNode } from 'react';

type EntryProps = { title: string; hint: ReactNode; state?: ReactNode; children: ReactNode };

export function Entry({ title, hint, state, children }: EntryProps) {
  return (
    <section className="entry" aria-label={title}>
      <div className="entry-side">
        <h2>{title}</h2>
        <p>{hint}</p>
        {state}
      </div>
      <div className="entry-main">{children}</div>
    </section>
  );
}
