import { Fragment, type ReactNode } from 'react';
import { Skeleton } from './marks/skeleton';
import { NearLink } from './near-link';
import classes from './page-header.module.css';

type PageHeaderProps = {
  /** Undefined while the record that the page is named after loads. */
  title: string | undefined;
  description: ReactNode;
  parent?: { label: string; href: string };
  mono?: boolean;
  /** Tabs follow, which draw the line below. */
  hasTabs?: boolean;
  children?: ReactNode;
};

export function PageHeader({ title, description, parent, mono, hasTabs, children }: PageHeaderProps) {
  return (
    <header className={classes.header} data-tabs={hasTabs}>
      <div className={classes.text}>
        <h1>
          {/* Another name is another element: what follows it would count as shifted. */}
          {parent && (
            <Fragment key={parent.label}>
              <NearLink className={classes.breadcrumb} href={parent.href}>
                {parent.label}
              </NearLink>
              <span className={classes.breadcrumb} aria-hidden="true">
                /
              </span>
            </Fragment>
          )}
          <span key={`${parent?.label} ${title}`} className={mono ? 'mono clip' : 'clip'}>
            {title ?? <Skeleton width={208} />}
          </span>
        </h1>
        <div className={classes.description}>{description}</div>
      </div>
      {children && <div className={classes.actions}>{children}</div>}
    </header>
  );
}
