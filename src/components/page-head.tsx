import Link from 'next/link';
import type { ReactNode } from 'react';

type PageHeadProps = {
  title: string;
  lede: ReactNode;
  crumb?: { label: string; href: string };
  mono?: boolean;
  children?: ReactNode;
};

export function PageHead({ title, lede, crumb, mono, children }: PageHeadProps) {
  return (
    <header className="page-head">
      <div className="page-head-text">
        <h1>
          {crumb && (
            <>
              <Link className="crumb" href={crumb.href}>
                {crumb.label}
              </Link>
              <span className="crumb" aria-hidden="true">
                /
              </span>
            </>
          )}
          <span key={title} className={mono ? 'mono clip' : 'clip'}>
            {title}
          </span>
        </h1>
        <div className="lede">{lede}</div>
      </div>
      {children !== undefined && <div className="acts">{children}</div>}
    </header>
  );
}
