'use client';

import { MantineProvider } from '@mantine/core';
import { NuqsAdapter } from 'nuqs/adapters/next/app';
import type { ReactNode } from 'react';
import { TrpcProvider } from '../api/trpc';
import { PageFocus } from './page-focus';
import { cssVariablesResolver, theme } from './theme';

export function Providers({ nonce, children }: { nonce: string | undefined; children: ReactNode }) {
  return (
    <MantineProvider theme={theme} cssVariablesResolver={cssVariablesResolver} defaultColorScheme="auto">
      <NuqsAdapter>
        <TrpcProvider nonce={nonce}>{children}</TrpcProvider>
        <PageFocus />
      </NuqsAdapter>
    </MantineProvider>
  );
}
