'use client';

import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { IconCheck } from '../icons/icons';
import { DetailsList } from '../text/details-list';
import { CodeBlock } from '../values/code-block';
import { CopyButton } from '../values/copy-button';
import { OnceDialog } from './dialog';
import classes from './secret-dialog.module.css';

const HASHED = 'Postroom stores only a hash and can’t show it again.';

type SecretDialogProps = {
  title: string;
  secret: string;
  copyLabel: string;
  facts?: ReactNode;
  /** Why it can't be shown again. */
  note?: string;
  check?: { title?: string; hint: string; command: string };
  onDone: () => void;
};

/** Shows a secret once. */
export function SecretDialog(props: SecretDialogProps) {
  const { title, secret, copyLabel, facts, note = HASHED, check, onDone } = props;
  const [isCopied, setIsCopied] = useState(false);
  return (
    <OnceDialog
      title={title}
      size={check ? 608 : undefined}
      status={isCopied ? 'Copied' : 'Not copied yet'}
      done={
        <Button leftSection={<IconCheck stroke={1.75} />} onClick={onDone}>
          I’ve saved it
        </Button>
      }
    >
      <p className="soft">You can see it only once. {note}</p>
      <div className={classes.secret}>
        <code>{secret}</code>
        <CopyButton filled value={secret} label={copyLabel} onCopied={() => setIsCopied(true)} />
      </div>
      {facts && <DetailsList>{facts}</DetailsList>}
      {check && (
        <CodeBlock
          title={check.title ?? 'Try it'}
          hint={check.hint}
          code={check.command}
          what="the command"
          isProgram
        />
      )}
    </OnceDialog>
  );
}
