'use client';

import { Button, Group } from '@mantine/core';
import { OnceDialog } from '@/components/dialogs/dialog';
import { IconCheck, IconDownload } from '@/components/icons/icons';
import { CopyButton } from '@/components/values/copy-button';
import classes from './recovery-codes-dialog.module.css';

type RecoveryCodesDialogProps = { codes: string[]; onStored: () => void };

export function RecoveryCodesDialog({ codes, onStored }: RecoveryCodesDialogProps) {
  const text = `${codes.join('\n')}\n`;
  return (
    <OnceDialog
      title="Save your recovery codes"
      done={
        <Button variant="filled" leftSection={<IconCheck stroke={1.75} />} onClick={onStored}>
          I’ve saved them
        </Button>
      }
    >
      <p className="soft">
        Two-factor authentication is enabled. If you lose your phone, each code signs you in once. You can see them only
        now; Postroom stores only hashes.
      </p>
      <ol className={classes.codes} aria-label="Recovery codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ol>
      <Group pt="md">
        <CopyButton value={text} label="Copy all" />
        <Button
          component="a"
          leftSection={<IconDownload stroke={1.5} />}
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(text)}`}
          download="postroom-recovery-codes.txt"
        >
          Download
        </Button>
      </Group>
    </OnceDialog>
  );
}
