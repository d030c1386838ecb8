'use client';

import { Button, Modal } from '@mantine/core';
import { useMounted } from '@mantine/hooks';
import type { FormEvent, ReactNode } from 'react';
import classes from './dialog.module.css';

type DialogProps = {
  opened: boolean;
  title: string;
  action: string;
  /** The label of the button that closes it, where Cancel could be taken for the action. */
  dismiss?: string;
  children: ReactNode;
  onClose: () => void;
  onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  isBusy?: boolean;
  isDisabled?: boolean;
  isDanger?: boolean;
};

/** The content of a dialog. */
export function DialogFields({ children }: { children: ReactNode }) {
  return <div className={classes.fields}>{children}</div>;
}

/** The buttons of a dialog. */
export function DialogFooter({ children }: { children: ReactNode }) {
  return <footer className={classes.footer}>{children}</footer>;
}

export function Dialog(props: DialogProps) {
  const {
    opened,
    title,
    action,
    dismiss = 'Cancel',
    children,
    onClose,
    onSubmit,
    isBusy,
    isDisabled,
    isDanger,
  } = props;
  // As it opens, the modal remembers where focus returns to. One that is mounted open would not.
  const isMounted = useMounted();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    // A dialog inside a form is elsewhere in the document, but React would submit that form too.
    event.stopPropagation();
    onSubmit(event);
  };
  return (
    <Modal opened={opened && isMounted} onClose={onClose} title={title} yOffset={72}>
      <form className={classes.form} onSubmit={submit} noValidate>
        <DialogFields>{children}</DialogFields>
        <DialogFooter>
          <span className="spacer" />
          <Button onClick={onClose}>{dismiss}</Button>
          <Button
            variant={isDanger ? 'default' : 'filled'}
            className={isDanger ? 'danger' : undefined}
            type="submit"
            loading={isBusy}
            disabled={isDisabled}
          >
            {action}
          </Button>
        </DialogFooter>
      </form>
    </Modal>
  );
}
