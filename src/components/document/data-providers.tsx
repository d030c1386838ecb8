'use client';

import { NuqsAdapter } from 'nuqs/adapters/next/app';
import type { ReactNode } from 'react';
import { TrpcProvider } from '../api/trpc';

/** Gives pages what they need to ask for data. Pages before the sign-in go without, so that they load little. */
export function DataProviders({ nonce, children }: { nonce: string | undefined; children: ReactNode }) {
  return (
    <NuqsAdapter>
      <TrpcProvider nonce={nonce}>{children}</TrpcProvider>
    </NuqsAdapter>
  );
}
