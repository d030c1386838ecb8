'use client';

import { ActionIcon, Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy } from '../icons/icons';

type CopyIconProps = { value: string; what: string };

export function CopyIcon({ value, what }: CopyIconProps) {
  const clipboard = useClipboard({ timeout: 2000 });
  const Icon = clipboard.copied ? IconCheck : IconCopy;
  return (
    <ActionIcon
      data-copy
      aria-label={clipboard.copied ? `Copied ${what}` : `Copy ${what}`}
      title={`Copy ${what}`}
      onClick={() => clipboard.copy(value)}
    >
      <Icon size={16} stroke={1.5} />
    </ActionIcon>
  );
}

type CopyButtonProps = { value: string; label: string; filled?: boolean; onCopied?: () => void };

export function CopyButton({ value, label, filled, onCopied }: CopyButtonProps) {
  const clipboard = useClipboard({ timeout: 2000 });
  return (
    <Button
      data-copy
      variant={filled ? 'filled' : 'default'}
      leftSection={clipboard.copied ? <IconCheck stroke={1.75} /> : <IconCopy stroke={1.75} />}
      data-autofocus={filled || undefined}
      onClick={() => {
        clipboard.copy(value);
        onCopied?.();
      }}
    >
      {clipboard.copied ? 'Copied' : label}
    </Button>
  );
}
