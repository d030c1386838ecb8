import type { Metadata, Viewport } from 'next';
import { headers } from 'next/headers';
import type { ReactNode } from 'react';
import { Document } from '@/components/document/document';

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
  const policy = (await headers()).get('content-security-policy');
  const nonce = policy?.match(/'nonce-([^']+)'/)?.[1];
  return <Document nonce={nonce}>{children}</Document>;
}
