import { NoRows } from '@/components/data-table/states';
import { SectionHeading } from '@/components/layout/section-heading';
import { ServerSearch } from '@/components/list/server-search';
import { NearLink } from '@/components/near-link';
import { PageHeader } from '@/components/page-header';
import { Page } from '@/components/shell/page';
import { formatPlural } from '@/lib/format';
import { CHAPTER_GROUPS, type ChapterName, readChapter, searchChapters } from '../chapters';
import classes from './docs.module.css';

/** The chapters of this version's documentation, or the sections that have all words of a search. */
export function ChaptersPage({ query }: { query: string }) {
  return (
    <Page>
      <PageHeader title="Documentation" description="For the version running here" />
      <ServerSearch
        key={query}
        action="/docs"
        label="Search the documentation"
        placeholder="For example: relay password"
        query={query}
      />
      {query.trim() === '' ? <Chapters /> : <Results query={query} />}
    </Page>
  );
}

function Chapters() {
  return CHAPTER_GROUPS.map(({ title, chapters }) => (
    <section key={title} aria-label={title}>
      <SectionHeading title={title} isUnderlined />
      <ul className={classes.chapters}>
        {Object.entries(chapters).map(([name, summary]) => (
          <li key={name}>
            <NearLink href={`/docs/${name}`}>{readChapter(name as ChapterName).title}</NearLink>
            <p className="soft">{summary}</p>
          </li>
        ))}
      </ul>
    </section>
  ));
}

function Results({ query }: { query: string }) {
  const found = searchChapters(query);
  if (found.length === 0) return <NoRows>No section has all of these words.</NoRows>;
  return (
    <section aria-label="Results">
      <p className={`quiet ${classes.count}`} role="status">
        {formatPlural(found.length, 'section')}
      </p>
      <ul className={classes.list}>
        {found.map(({ chapter, title, heading, id, excerpt }) => (
          <li key={`${chapter}#${id}`}>
            <NearLink href={id ? `/docs/${chapter}#${id}` : `/docs/${chapter}`}>{heading}</NearLink>
            {heading !== title && <span className="quiet"> {title}</span>}
            <p className="soft">{excerpt}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}
