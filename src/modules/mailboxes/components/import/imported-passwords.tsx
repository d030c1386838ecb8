'use client';

import { Button, Modal } from '@mantine/core';
import { useState } from 'react';
import { DialogFields, DialogFooter } from '@/components/dialogs/dialog';
import { IconCheck, IconDownload } from '@/components/icons/icons';
import { saveCsv } from '@/components/save-file';
import { csvLine } from '@/lib/csv/csv-line';
import { formatPlural } from '@/lib/format';

export type NewPassword = { email: string; password: string };

type ImportedPasswordsProps = { opened: boolean; passwords: NewPassword[]; onDone: () => void };

/** Offers the generated passwords of an import once, as a file. Closes only by confirmation. */
export function ImportedPasswords({ opened, passwords, onDone }: ImportedPasswordsProps) {
  const [isSaved, setIsSaved] = useState(false);
  return (
    <Modal
      opened={opened}
      title={`Download ${formatPlural(passwords.length, 'password')}`}
      yOffset={72}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      onClose={() => undefined}
    >
      <DialogFields>
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
      </DialogFields>
      <DialogFooter>
        <span className="soft" role="status">
          {isSaved ? 'Downloaded' : 'Not downloaded yet'}
        </span>
        <span className="spacer" />
        <Button leftSection={<IconCheck stroke={1.75} />} onClick={onDone}>
          I’ve saved them
        </Button>
      </DialogFooter>
    </Modal>
  );
}

function download(passwords: NewPassword[]): void {
  const lines = passwords.map(({ email, password }) => csvLine([email, password]));
  saveCsv(csvLine(['email', 'password']) + lines.join(''), 'mailbox-passwords.csv');
}
