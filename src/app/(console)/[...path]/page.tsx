import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { PageNotFound } from '@/components/shell/page-not-found';
import { currentPage } from '@/lib/page-request';

export const metadata: Metadata = { title: 'Page not found' };

/** Every address that no other page has. Next.js leaves what `notFound` shows to the browser, which paints it later. */
export default function Page() {
  const page = currentPage();
  if (!page) notFound();
  page.setNotFound();
  return <PageNotFound />;
}
