'use client';

import { usePathname, useSearchParams } from 'next/navigation';
import { useEffect, useState } from 'react';
import { routeOf } from '@/lib/routes';
import { useBrowserOnline, useServerUnreachable } from '../../api/connection';
import classes from './navigation-progress.module.css';
import { PageSkeleton } from './page-skeleton';
import { endNavigation, usePendingPath } from './pending-navigation';

/** The time that people take for immediate. A navigation that ends within it shows nothing. */
const IMMEDIATE_MS = 150;

/** A thin bar, and the outline of the next page, while a navigation takes longer than people take for immediate. */
export function NavigationProgress() {
  const pathname = usePathname();
  const query = useSearchParams();
  const path = usePendingPath();
  const isOnline = useBrowserOnline();
  const isUnreachable = useServerUnreachable();
  const [slowPath, setSlowPath] = useState<string | null>(null);
  useEffect(() => endNavigation(pathname, query), [pathname, query]);
  useEffect(() => {
    if (path === null) return;
    const timer = setTimeout(() => setSlowPath(path), IMMEDIATE_MS);
    return () => clearTimeout(timer);
  }, [path]);
  const isSlow = path !== null && path === slowPath;
  if (path === null && slowPath !== null) setSlowPath(null);

  return (
    <>
      {isSlow && <div className={classes.bar} role="progressbar" aria-label="Loading the page" />}
      {/* Without a connection, the page stays: nobody knows when the next one comes. */}
      {isSlow && path !== pathname && isOnline && !isUnreachable && <PageSkeleton path={path} />}
      <output className="sr-only">{isSlow && `Loading ${routeOf(path)?.label ?? 'the page'}`}</output>
    </>
  );
}
