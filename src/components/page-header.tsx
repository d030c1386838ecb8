import Link from 'next/link';
import type { ReactNode } from 'react';

type PageHeaderProps = {
  title: string;
  description: ReactNode;
  parent?: { label: string; href: string };
  mono?: boolean;
  children?: ReactNode;
};

export function PageHeader({ title, description, parent, mono, children }: PageHeaderProps) {
  return (
    <header className="page-header">
      <div className="page-header-text">
        <h1>
          {parent && (
            <>
              <Link className="breadcrumb" href={parent.href}>
                {parent.label}
              </Link>
              <span className="breadcrumb" aria-hidden="true">
                /
              </span>
            </>
          )}
          <span key={title} className={mono ? 'mono clip' : 'clip'}>
            {title}
          </span>
        </h1>
        <div className="page-description">{description}</div>
      </div>
      {children !== undefined && <div className="page-actions">{children}</div>}
    </header>
  );
}
