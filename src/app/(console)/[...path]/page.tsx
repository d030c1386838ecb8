import type { Metadata } from 'next';
import { notFound } from 'next/navigation';

export const metadata: Metadata = { title: 'Page not found' };

/** Every address that no other page has. */
export default function Page() {
  notFound();
}
