import { Button } from '@mantine/core';
import { ErrorState } from './data-table/states';
import { NearLink } from './near-link';
import { PageHeader } from './page-header';
import { Page } from './shell/page';

type LoadFailedProps = {
  /** The list page that it belongs to. */
  parent: { label: string; href: string };
  title: string;
  error: unknown;
  onRetry: () => void;
};

/** The page of a record that couldn't be loaded, or that the admin has no access to. */
export function LoadFailed({ parent, title, error, onRetry }: LoadFailedProps) {
  return (
    <Page>
      <PageHeader parent={parent} title={title} description="Not available" />
      <ErrorState what={`this ${title.toLowerCase()}`} error={error} onRetry={onRetry}>
        <Button component={NearLink} href={parent.href}>
          All {parent.label.toLowerCase()}
        </Button>
      </ErrorState>
    </Page>
  );
}
