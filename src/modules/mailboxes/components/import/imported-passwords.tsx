'use client';

import { Button } from '@mantine/core';
import { useState } from 'react';
import { OnceDialog } from '@/components/dialogs/dialog';
import { IconCheck, IconDownload } from '@/components/icons/icons';
import { saveCsv } from '@/components/save-file';
import { csvLine } from '@/lib/csv/csv-line';
import { formatPlural } from '@/lib/format';

export type NewPassword = { email: string; password: string };

type ImportedPasswordsProps = { opened: boolean; passwords: NewPassword[]; onDone: () => void };

/** Offers the generated passwords of an import once, as a file. */
export function ImportedPasswords({ opened, passwords, onDone }: ImportedPasswordsProps) {
  const [isSaved, setIsSaved] = useState(false);
  return (
    <OnceDialog
      opened={opened}
      title={`Download ${formatPlural(passwords.length, 'password')}`}
      status={isSaved ? 'Downloaded' : 'Not downloaded yet'}
      done={
        <Button leftSection={<IconCheck stroke={1.75} />} onClick={onDone}>
          I’ve saved them
        </Button>
      }
    >
      <p className="soft">
        {formatPlural(passwords.length, 'mailbox has', 'mailboxes have')} a generated password. You can download them
        only once. Postroom stores only hashes and can’t show them again.
      </p>
      <Button
        variant="filled"
        leftSection={<IconDownload stroke={1.75} />}
        onClick={() => {
          download(passwords);
          setIsSaved(true);
        }}
      >
        Download passwords as CSV
      </Button>
    </OnceDialog>
  );
}

function download(passwords: NewPassword[]): void {
  const lines = passwords.map(({ email, password }) => csvLine([email, password]));
  saveCsv(csvLine(['email', 'password']) + lines.join(''), 'mailbox-passwords.csv');
}
