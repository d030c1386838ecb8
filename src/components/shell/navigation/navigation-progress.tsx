'use client';

import { usePathname, useSearchParams } from 'next/navigation';
import { useEffect } from 'react';
import classes from './navigation-progress.module.css';
import { endNavigation, usePendingNavigation } from './pending-navigation';

/** A thin bar while a navigation takes longer than people take for immediate. */
export function NavigationProgress() {
  const pathname = usePathname();
  const query = useSearchParams();
  const isPending = usePendingNavigation();
  useEffect(() => endNavigation(pathname, query), [pathname, query]);
  return isPending && <div className={classes.bar} role="progressbar" aria-label="Loading the page" />;
}
