'use client';

import { Button, Modal } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';

type DialogProps = {
  opened: boolean;
  title: string;
  action: string;
  children: ReactNode;
  onClose: () => void;
  onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  isBusy?: boolean;
  isDisabled?: boolean;
  isDanger?: boolean;
};

export function Dialog(props: DialogProps) {
  const { opened, title, action, children, onClose, onSubmit, isBusy, isDisabled, isDanger } = props;
  return (
    <Modal opened={opened} onClose={onClose} title={title} yOffset={72}>
      <form className="dialog" onSubmit={onSubmit} noValidate>
        <div className="fields">{children}</div>
        <footer className="dialog-footer">
          <span className="spacer" />
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant={isDanger ? 'default' : 'filled'}
            className={isDanger ? 'danger' : undefined}
            type="submit"
            loading={isBusy}
            disabled={isDisabled}
          >
            {action}
          </Button>
        </footer>
      </form>
    </Modal>
  );
}
