import type { ComponentProps } from 'react';
import { ExportButton } from './export-csv';
import { Views } from './views/views';

type ListActionsProps = ComponentProps<typeof Views> & ComponentProps<typeof ExportButton>;

/** What can be done with most lists: save its filters and order as a view, and export what it shows. */
export function ListActions({ page, ...exported }: ListActionsProps) {
  return (
    <>
      <Views page={page} />
      <ExportButton {...exported} />
    </>
  );
}
