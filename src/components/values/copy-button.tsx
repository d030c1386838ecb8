'use client';

import { ActionIcon, Button, Tooltip } from '@mantine/core';
import type { ReactElement } from 'react';
import { IconCheck, IconCopy } from '../icons/icons';
import { useCopy } from './use-copy';

type CopyIconProps = { value: string; what: string };

export function CopyIcon({ value, what }: CopyIconProps) {
  const { isCopied, isFailed, copy } = useCopy(value);
  const Icon = isCopied ? IconCheck : IconCopy;
  return (
    <CopyFailure isShown={isFailed}>
      <ActionIcon
        data-copy
        aria-label={isCopied ? `Copied ${what}` : `Copy ${what}`}
        title={`Copy ${what}`}
        onClick={(event) => void copy(event.currentTarget)}
      >
        <Icon size={16} stroke={1.5} />
      </ActionIcon>
    </CopyFailure>
  );
}

type CopyButtonProps = { value: string; label: string; filled?: boolean; onCopied?: () => void };

export function CopyButton({ value, label, filled, onCopied }: CopyButtonProps) {
  const { isCopied, isFailed, copy } = useCopy(value, onCopied);
  return (
    <CopyFailure isShown={isFailed}>
      <Button
        data-copy
        variant={filled ? 'filled' : 'default'}
        leftSection={isCopied ? <IconCheck stroke={1.75} /> : <IconCopy stroke={1.75} />}
        data-autofocus={filled || undefined}
        onClick={(event) => void copy(event.currentTarget)}
      >
        {isCopied ? 'Copied' : label}
      </Button>
    </CopyFailure>
  );
}

function CopyFailure({ isShown, children }: { isShown: boolean; children: ReactElement }) {
  const label = isShown && (
    <span role="alert">Couldn’t copy. Select it and press {/Mac/.test(navigator.platform) ? '⌘C' : 'Ctrl+C'}.</span>
  );
  return (
    <Tooltip opened={isShown} label={label}>
      {children}
    </Tooltip>
  );
}
