import { NearLink } from '@/components/near-link';
import { PageHeader } from '@/components/page-header';
import { Page } from '@/components/shell/page';
import { formatPlural } from '@/lib/format';
import type { Section } from '../operations';
import type { Reference } from '../reference';
import { EventDetails } from './event-details';
import { LanguageSwitch } from './operation-code';
import { OperationDetails } from './operation-details';
import { OperationRows } from './operation-rows';
import { ReferenceSearch } from './reference-page';
import classes from './reference-page.module.css';

/** The operations and events of a section in full. */
export function SectionPage({ reference, section }: { reference: Reference; section: Section }) {
  const { sections, server, hrefOf } = reference;
  const { title, operations, events } = section;
  const at = sections.indexOf(section);
  const [former, next] = [sections[at - 1], sections[at + 1]];
  return (
    <Page>
      <PageHeader
        title={title}
        parent={{ label: 'API reference', href: '/reference' }}
        description={[
          formatPlural(operations.length, 'operation'),
          ...(events.length > 0 ? [formatPlural(events.length, 'event')] : []),
        ].join(', ')}
      />
      <div className={classes.tools}>
        <ReferenceSearch query="" />
        <LanguageSwitch />
      </div>
      <nav aria-label="On this page" className={classes.contents}>
        <OperationRows rows={[...operations, ...events].map((entry) => ({ entry }))} />
      </nav>
      {operations.map((operation) => (
        <OperationDetails key={operation.id} operation={operation} server={server} hrefOf={hrefOf} />
      ))}
      {events.map((event) => (
        <EventDetails key={event.id} event={event} hrefOf={hrefOf} />
      ))}
      <nav aria-label="Other sections" className={classes.turn}>
        {former && <NearLink href={`/reference/${former.slug}`}>Previous: {former.title}</NearLink>}
        {next && (
          <NearLink className="spacer" href={`/reference/${next.slug}`}>
            Next: {next.title}
          </NearLink>
        )}
      </nav>
    </Page>
  );
}
