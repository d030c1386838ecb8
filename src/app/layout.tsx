import type { Metadata, Viewport } from 'next';
import type { ReactNode } from 'react';
import { Document } from '@/components/document/document';
import { pageNonce } from '@/components/document/nonce';

export const metadata: Metadata = {
  title: { default: 'Postroom', template: '%s · Postroom' },
  icons: { icon: '/icon.svg' },
  robots: { index: false, follow: false },
};

export const viewport: Viewport = {
  themeColor: [
    { media: '(prefers-color-scheme: light)', color: '#FBFAF7' },
    { media: '(prefers-color-scheme: dark)', color: '#0E1412' },
  ],
};

export default async function RootLayout({ children }: { children: ReactNode }) {
  return <Document nonce={await pageNonce()}>{children}</Document>;
}
