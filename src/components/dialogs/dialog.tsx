'use client';

import { Button, Modal, type ModalProps } from '@mantine/core';
import { useMounted } from '@mantine/hooks';
import { type FormEvent, type ReactNode, useEffect } from 'react';
import classes from './dialog.module.css';
import { useBack } from './use-back';
import { useEnteredInput } from './use-entered-input';

type DialogFrameProps = Omit<ModalProps, 'yOffset'> & {
  /** Whether the URL says that it is open, so that Back closes it by itself. */
  isInUrl?: boolean;
  /** Called before Back closes it. Returns whether it stays open. */
  onBack?: () => boolean;
};

/** The window of every dialog. Back closes it. */
export function DialogFrame({ opened, onClose, isInUrl, onBack, ...props }: DialogFrameProps) {
  // As it opens, the modal remembers where focus returns to. One that is mounted open would not.
  const isMounted = useMounted();
  useReturnOnUnmount(opened);
  const close = () => {
    if (onBack?.()) return true;
    if (!isInUrl) onClose();
    return !isInUrl;
  };
  useBack(opened, close, isInUrl);
  return <Modal opened={opened && isMounted} onClose={onClose} yOffset={72} {...props} />;
}

/** The modal gives the focus back as it closes, but not if it is removed while open, such as with the record it is about. */
function useReturnOnUnmount(opened: boolean): void {
  useEffect(() => {
    if (!opened) return;
    const opener = document.activeElement;
    return () => {
      if (document.activeElement === document.body && opener instanceof HTMLElement) opener.focus();
    };
  }, [opened]);
}

type DialogProps = {
  opened: boolean;
  title: string;
  action: string;
  /** The label of the button that closes it, where Cancel could be taken for the action. */
  dismiss?: string;
  children: ReactNode;
  isInUrl?: DialogFrameProps['isInUrl'];
  onClose: () => void;
  onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  isBusy?: boolean;
  /** Whether it can’t be closed now. */
  isHeld?: boolean;
  isDisabled?: boolean;
  isDanger?: boolean;
  /** Whether closing it by Escape, Back or a click beside it loses nothing, such as a name that was typed to confirm. */
  losesNothing?: boolean;
};

/** The content of a dialog. */
export function DialogFields({ children }: { children: ReactNode }) {
  return <div className={classes.fields}>{children}</div>;
}

/** The buttons of a dialog. */
export function DialogFooter({ children, isHidden }: { children: ReactNode; isHidden?: boolean }) {
  return (
    <footer className={classes.footer} hidden={isHidden}>
      {children}
    </footer>
  );
}

export function Dialog(props: DialogProps) {
  const {
    opened,
    title,
    action,
    dismiss = 'Cancel',
    children,
    isInUrl,
    onSubmit,
    isBusy,
    isHeld,
    isDisabled,
    isDanger,
    losesNothing,
  } = props;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    // A dialog inside a form is elsewhere in the document, but React would submit that form too.
    event.stopPropagation();
    onSubmit(event);
  };
  const onClose = () => isHeld || props.onClose();
  const input = useEnteredInput(opened, losesNothing);
  return (
    <DialogFrame
      opened={opened}
      isInUrl={isInUrl}
      // Not by the buttons of the dialog, which say what they do.
      onClose={() => input.confirmLoss(onClose)}
      onBack={() => isHeld || input.ask()}
      title={title}
    >
      <form
        className={classes.form}
        onSubmit={submit}
        onInput={input.onInput}
        onClickCapture={input.onClick}
        noValidate
      >
        <DialogFields>{children}</DialogFields>
        {input.isAsking && (
          <DialogFooter>
            <span role="alert">Discard what you entered?</span>
            <span className="spacer" />
            <Button onClick={input.keep} ref={focus}>
              Keep editing
            </Button>
            <Button className="danger" onClick={onClose}>
              Discard
            </Button>
          </DialogFooter>
        )}
        <DialogFooter isHidden={input.isAsking}>
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
    </DialogFrame>
  );
}

function focus(button: HTMLButtonElement | null): void {
  button?.focus();
}

type OnceDialogProps = {
  opened?: boolean;
  title: string;
  size?: number;
  /** Whether it was copied or downloaded. */
  status?: string;
  /** The button that closes the dialog. */
  done: ReactNode;
  children: ReactNode;
};

/** Shows what can't be shown again. Closes only by confirmation. */
export function OnceDialog({ opened = true, title, size, status, done, children }: OnceDialogProps) {
  return (
    <DialogFrame
      opened={opened}
      title={title}
      size={size}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      onClose={() => undefined}
      onBack={() => true}
    >
      <DialogFields>{children}</DialogFields>
      <DialogFooter>
        {status && (
          <span className="soft" role="status">
            {status}
          </span>
        )}
        <span className="spacer" />
        {done}
      </DialogFooter>
    </DialogFrame>
  );
}
