'use client';

import { MantineProvider } from '@mantine/core';
import { NuqsAdapter } from 'nuqs/adapters/next/app';
import type { ReactNode } from 'react';
import { cssVariablesResolver, theme } from './theme';
import { TrpcProvider } from './trpc';

export function Providers({ children }: { children: ReactNode }) {
  return (
    <MantineProvider theme={theme} cssVariablesResolver={cssVariablesResolver} defaultColorScheme="auto">
      <NuqsAdapter>
        <TrpcProvider>{children}</TrpcProvider>
      </NuqsAdapter>
    </MantineProvider>
  );
}
