'use client';

import { MantineProvider } from '@mantine/core';
import type { ReactNode } from 'react';
import { PageFocus } from './page-focus';
import { cssVariablesResolver, theme } from './theme';

/** What every page needs. */
export function Providers({ children }: { children: ReactNode }) {
  return (
    <MantineProvider theme={theme} cssVariablesResolver={cssVariablesResolver} defaultColorScheme="auto">
      {children}
      <PageFocus />
    </MantineProvider>
  );
}
