'use client';

import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatPlural } from '@/lib/format';
import { DialogFields, DialogFooter, DialogFrame } from '../dialogs/dialog';
import { IconDownload } from '../icons/icons';
import { saveCsv } from '../save-file';

type FailedLinesButtonProps = { csv: string };

/** Downloads the failed lines of an import, each with its error. */
export function FailedLinesButton({ csv }: FailedLinesButtonProps) {
  return (
    <Button leftSection={<IconDownload stroke={1.5} />} onClick={() => saveCsv(csv, 'failed-lines.csv')}>
      Download failed lines
    </Button>
  );
}

type FailedLinesProps = { opened: boolean; count: number; children: ReactNode; onClose: () => void };

/** The dialog about the lines that an import has left out, once it is done. */
export function FailedLines({ opened, count, children, onClose }: FailedLinesProps) {
  return (
    <DialogFrame opened={opened} isInUrl title={`${formatPlural(count, 'line')} not imported`} onClose={onClose}>
      <DialogFields>
        <p className="soft">
          Download the failed lines, correct them, and import the file. Its last column says what is wrong, and is
          ignored by the import.
        </p>
        {children}
      </DialogFields>
      <DialogFooter>
        <span className="spacer" />
        <Button onClick={onClose}>Close</Button>
      </DialogFooter>
    </DialogFrame>
  );
}
