'use client';

import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import classes from './page.module.css';

type PageProps = { children: ReactNode; peek?: ReactNode };

export function Page({ children, peek }: PageProps) {
  const isNarrow = useMediaQuery('(max-width: 900px)') ?? false;
  return (
    <>
      {/* The style sheet reserves the space, because a streamed page has its main long before its peek. */}
      <main id="main" className={classes.page} data-peek={Boolean(peek) || undefined} inert={isNarrow && Boolean(peek)}>
        {children}
      </main>
      {peek}
    </>
  );
}
