'use client';

import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { toProblem } from '../api/problem';
import { FormColumn } from '../layout/form-layout';
import { SettingsSection } from '../settings-section';
import { ConfirmDialog } from './confirm-dialog';

type DeleteSectionProps = {
  hint: string;
  /** The text above the button. */
  note?: ReactNode;
  /** The label of the button, here and in the dialog. */
  action: string;
  isDisabled?: boolean;
  /** The record, as the title of the dialog names it. */
  name: string;
  typeToConfirm?: string;
  consequence: string;
  deletion: { error: unknown; isPending: boolean; reset: () => void };
  onConfirm: () => void;
};

/** The section of a record's settings that deletes it, after a confirmation. */
export function DeleteSection(props: DeleteSectionProps) {
  const { hint, note, action, isDisabled, name, typeToConfirm, consequence, deletion, onConfirm } = props;
  const [opened, dialog] = useDisclosure(false);
  const button = (
    <Button className="danger" onClick={dialog.open} disabled={isDisabled}>
      {action}
    </Button>
  );
  return (
    <SettingsSection title="Delete" hint={hint}>
      {note === undefined ? (
        button
      ) : (
        <FormColumn>
          <p className="soft">{note}</p>
          <div>{button}</div>
        </FormColumn>
      )}
      <ConfirmDialog
        opened={opened}
        title={`Delete ${name}`}
        action={action}
        typeToConfirm={typeToConfirm}
        problem={deletion.error ? toProblem(deletion.error) : null}
        isBusy={deletion.isPending}
        onClose={() => {
          deletion.reset();
          dialog.close();
        }}
        onConfirm={onConfirm}
      >
        <p className="soft">{consequence}</p>
      </ConfirmDialog>
    </SettingsSection>
  );
}
