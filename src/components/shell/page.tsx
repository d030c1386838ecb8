'use client';

import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';

type PageProps = { children: ReactNode; peek?: ReactNode };

export function Page({ children, peek }: PageProps) {
  const isNarrow = useMediaQuery('(max-width: 900px)') ?? false;
  return (
    <>
      <main id="main" className="page" inert={isNarrow && Boolean(peek)}>
        {children}
      </main>
      {peek}
    </>
  );
}
