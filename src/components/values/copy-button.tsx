'use client';

import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { useRef } from 'react';
import { IconCheck, IconCopy } from '../icons/icons';
import { useCopy } from './use-copy';

type CopyIconProps = { value: string; what: string };

export function CopyIcon({ value, what }: CopyIconProps) {
  const { outcome, copy } = useCopy(value);
  const button = useRef<HTMLButtonElement>(null);
  const isCopied = outcome === 'copied';
  const Icon = isCopied ? IconCheck : IconCopy;
  return (
    <>
      <ActionIcon
        ref={button}
        data-copy
        aria-label={isCopied ? `Copied ${what}` : `Copy ${what}`}
        title={`Copy ${what}`}
        onClick={(event) => void copy(event.currentTarget)}
      >
        <Icon size={16} stroke={1.5} />
      </ActionIcon>
      <CopyFailure outcome={outcome} target={button} />
    </>
  );
}

type CopyButtonProps = { value: string; label: string; filled?: boolean; onCopied?: () => void };

export function CopyButton({ value, label, filled, onCopied }: CopyButtonProps) {
  const { outcome, copy } = useCopy(value, onCopied);
  const button = useRef<HTMLButtonElement>(null);
  const isCopied = outcome === 'copied';
  return (
    <>
      <Button
        ref={button}
        data-copy
        variant={filled ? 'filled' : 'default'}
        leftSection={isCopied ? <IconCheck stroke={1.75} /> : <IconCopy stroke={1.75} />}
        data-autofocus={filled || undefined}
        onClick={(event) => void copy(event.currentTarget)}
      >
        {isCopied ? 'Copied' : label}
      </Button>
      <CopyFailure outcome={outcome} target={button} />
    </>
  );
}

type CopyFailureProps = {
  outcome: ReturnType<typeof useCopy>['outcome'];
  target: React.RefObject<HTMLButtonElement | null>;
};

/** Is rendered only then, because lists have many buttons. */
function CopyFailure({ outcome, target }: CopyFailureProps) {
  if (outcome !== 'selected' && outcome !== 'failed') return null;
  const keys = /Mac/.test(navigator.platform) ? '⌘C' : 'Ctrl+C';
  const then =
    outcome === 'selected' ? `The text is selected: press ${keys}.` : 'Select the text and copy it yourself.';
  return <Tooltip opened target={target} label={<span role="alert">Couldn’t copy. {then}</span>} />;
}
