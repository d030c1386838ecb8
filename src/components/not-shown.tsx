import { Button } from '@mantine/core';
import Link from 'next/link';
import { ErrorNote } from './ledger/notes';
import { PageHead } from './page-head';
import { Page } from './shell/page';

type NotShownProps = {
  /** The list that it would stand in. */
  crumb: { label: string; href: string };
  title: string;
  error: unknown;
  onRetry: () => void;
};

/** The page of one thing that could not be loaded, or is not within reach. */
export function NotShown({ crumb, title, error, onRetry }: NotShownProps) {
  return (
    <Page>
      <PageHead crumb={crumb} title={title} lede="Not shown" />
      <ErrorNote what={`this ${title.toLowerCase()}`} error={error} onRetry={onRetry}>
        <Button component={Link} href={crumb.href}>
          All {crumb.label.toLowerCase()}
        </Button>
      </ErrorNote>
    </Page>
  );
}
