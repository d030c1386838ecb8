'use client';

import { NuqsAdapter } from 'nuqs/adapters/next/app';
import type { ReactNode } from 'react';
import { preload } from 'react-dom';
import { TrpcProvider } from '../api/trpc';

/** The weights of the mono font that most pages show at once. */
const MONO_FONTS = [
  new URL(
    '../../../node_modules/@fontsource/ibm-plex-mono/files/ibm-plex-mono-latin-400-normal.woff2',
    import.meta.url,
  ),
  new URL(
    '../../../node_modules/@fontsource/ibm-plex-mono/files/ibm-plex-mono-latin-500-normal.woff2',
    import.meta.url,
  ),
];

/**
 * Gives pages what they need to ask for data, and to show it without text that moves when its font arrives. Pages before the
 * sign-in go without, so that they load little.
 */
export function DataProviders({ nonce, children }: { nonce: string | undefined; children: ReactNode }) {
  for (const { pathname } of MONO_FONTS)
    preload(pathname, { as: 'font', type: 'font/woff2', crossOrigin: 'anonymous' });
  return (
    <NuqsAdapter>
      <TrpcProvider nonce={nonce}>{children}</TrpcProvider>
    </NuqsAdapter>
  );
}
