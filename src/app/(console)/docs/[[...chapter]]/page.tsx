import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { type ChapterName, isChapter, readChapter } from '@/modules/docs/chapters';
import { ChapterPage } from '@/modules/docs/components/chapter-page';
import { ChaptersPage } from '@/modules/docs/components/chapters-page';

type PageProps = { params: Promise<{ chapter?: string[] }>; searchParams: Promise<{ q?: string | string[] }> };

export async function generateMetadata({ params }: PageProps): Promise<Metadata> {
  const name = await nameIn(params);
  return { title: name === null ? 'Documentation' : readChapter(name).title };
}

export default async function Page({ params, searchParams }: PageProps) {
  const name = await nameIn(params);
  if (name !== null) return <ChapterPage chapter={readChapter(name)} />;
  const { q } = await searchParams;
  return <ChaptersPage query={[q ?? ''].flat()[0] ?? ''} />;
}

/** Null for the list of chapters. */
async function nameIn(params: PageProps['params']): Promise<ChapterName | null> {
  const [name, ...others] = (await params).chapter ?? [];
  if (name === undefined) return null;
  if (others.length > 0 || !isChapter(name)) notFound();
  return name;
}
