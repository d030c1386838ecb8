import type { Metadata } from 'next';
import { notFound, redirect } from 'next/navigation';
import { ReferencePage } from '@/modules/reference/components/reference-page';
import { SectionPage } from '@/modules/reference/components/section-page';
import type { Section } from '@/modules/reference/operations';
import { currentReference } from '@/modules/reference/reference';

type PageProps = { params: Promise<{ section?: string[] }>; searchParams: Promise<{ q?: string | string[] }> };

export async function generateMetadata({ params }: PageProps): Promise<Metadata> {
  const section = await sectionIn(params);
  return { title: section ? `${section.title} API` : 'API reference' };
}

export default async function Page({ params, searchParams }: PageProps) {
  const section = await sectionIn(params);
  if (section) return <SectionPage reference={currentReference()} section={section} />;
  const { q } = await searchParams;
  return <ReferencePage reference={currentReference()} query={[q ?? ''].flat()[0] ?? ''} />;
}

/** Null for the list of all operations. The ID of an operation leads to its section, so that links hold when that is renamed. */
async function sectionIn(params: PageProps['params']): Promise<Section | null> {
  const [slug, ...others] = (await params).section ?? [];
  if (slug === undefined) return null;
  if (others.length > 0) notFound();
  const { sections } = currentReference();
  const section = sections.find((one) => one.slug === slug);
  if (section) return section;
  const operation = sections.flatMap(({ operations }) => operations).find(({ id }) => id === slug);
  if (!operation) notFound();
  redirect(operation.href);
}
