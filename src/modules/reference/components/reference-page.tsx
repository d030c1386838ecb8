import { NoRows } from '@/components/data-table/states';
import { SectionHeading } from '@/components/layout/section-heading';
import { ServerSearch } from '@/components/list/server-search';
import { NearLink } from '@/components/near-link';
import { PageHeader } from '@/components/page-header';
import { Page } from '@/components/shell/page';
import { formatPlural } from '@/lib/format';
import type { Reference } from '../reference';
import { OperationRows } from './operation-rows';
import { ReferenceIntro } from './reference-intro';
import classes from './reference-page.module.css';

/** All operations by section, or those that a search finds. */
export function ReferencePage({ reference, query }: { reference: Reference; query: string }) {
  return (
    <Page>
      <PageHeader
        title="API reference"
        description={
          <>
            <span>All endpoints and events of the version that runs here</span>
            <a href="/api/v1/openapi.json" className="mono">
              /api/v1/openapi.json
            </a>
          </>
        }
      />
      <ReferenceSearch query={query} />
      {query.trim() === '' ? (
        <>
          <ReferenceIntro server={reference.server} />
          <Overview reference={reference} />
        </>
      ) : (
        <Results found={reference.search(query)} />
      )}
    </Page>
  );
}

export function ReferenceSearch({ query }: { query: string }) {
  return (
    <ServerSearch
      key={query}
      action="/reference"
      label="Search the reference"
      placeholder="POST /send, quota_bytes"
      query={query}
    />
  );
}

function Overview({ reference: { sections } }: { reference: Reference }) {
  return (
    <div className={classes.sections}>
      <nav aria-label="Parts of the reference">
        <ul className={classes.index}>
          {sections.map(({ title, slug }) => (
            <li key={slug}>
              <NearLink href={`/reference/${slug}`}>{title}</NearLink>
            </li>
          ))}
        </ul>
      </nav>
      <div>
        {sections.map(({ title, slug, operations, events }) => (
          <section key={slug} aria-labelledby={slug}>
            <SectionHeading id={slug} title={<NearLink href={`/reference/${slug}`}>{title}</NearLink>} isUnderlined />
            <OperationRows rows={[...operations, ...events].map((entry) => ({ entry }))} />
          </section>
        ))}
      </div>
    </div>
  );
}

function Results({ found }: { found: ReturnType<Reference['search']> }) {
  if (found.length === 0) return <NoRows>No operation or event has all of these words.</NoRows>;
  return (
    <section aria-label="Results">
      <p className={`quiet ${classes.count}`} role="status">
        {formatPlural(found.length, 'result')}
      </p>
      <OperationRows rows={found} />
    </section>
  );
}
