import { NearLink } from '@/components/near-link';
import { PageHeader } from '@/components/page-header';
import { Page } from '@/components/shell/page';
import type { Chapter } from '../chapters';
import classes from './docs.module.css';

export function ChapterPage({ chapter: { title, html, sections } }: { chapter: Chapter }) {
  const headings = sections.filter(({ id }) => id !== '');
  return (
    <Page>
      <PageHeader title={title} parent={{ label: 'Documentation', href: '/docs' }} description={null} />
      <div className={classes.chapter}>
        {/* The text is a file of this repository, and what it has of HTML is escaped. */}
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: it is the rendered chapter */}
        <article className={classes.text} dangerouslySetInnerHTML={{ __html: html }} />
        {headings.length > 1 && (
          <nav className={classes.contents} aria-label="On this page">
            <ul>
              {headings.map(({ id, heading }) => (
                <li key={id}>
                  <NearLink href={`#${id}`}>{heading}</NearLink>
                </li>
              ))}
            </ul>
          </nav>
        )}
      </div>
    </Page>
  );
}
