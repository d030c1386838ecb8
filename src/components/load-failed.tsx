import { Button } from '@mantine/core';
import Link from 'next/link';
import { ErrorState } from './data-table/states';
import { PageHeader } from './page-header';
import { Page } from './shell/page';

type LoadFailedProps = {
  /** The list that it would stand in. */
  parent: { label: string; href: string };
  title: string;
  error: unknown;
  onRetry: () => void;
};

/** The page of one thing that could not be loaded, or is not within reach. */
export function LoadFailed({ parent, title, error, onRetry }: LoadFailedProps) {
  return (
    <Page>
      <PageHeader parent={parent} title={title} description="Not shown" />
      <ErrorState what={`this ${title.toLowerCase()}`} error={error} onRetry={onRetry}>
        <Button component={Link} href={parent.href}>
          All {parent.label.toLowerCase()}
        </Button>
      </ErrorState>
    </Page>
  );
}
