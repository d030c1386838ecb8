'use client';

import { Button, Modal } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useState } from 'react';
import { CopyButton } from '@/components/copy-button';

type GeneratedPasswordDialogProps = { email: string; password: string; onStored: () => void };

/** Closes only by confirmation: a generated password can't be shown again. */
export function GeneratedPasswordDialog({ email, password, onStored }: GeneratedPasswordDialogProps) {
  const [isCopied, setIsCopied] = useState(false);
  return (
    <Modal
      opened
      title={`Copy the password for ${email}`}
      yOffset={72}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      onClose={() => undefined}
    >
      <div className="fields">
        <p className="soft">The password is shown only once. Postroom stores a hash of it and can’t show it again.</p>
        <div className="secret">
          <code>{password}</code>
          <CopyButton filled value={password} label="Copy password" onCopied={() => setIsCopied(true)} />
        </div>
      </div>
      <footer className="dialog-footer">
        <span className="soft" role="status">
          {isCopied ? 'Copied' : 'Not copied yet'}
        </span>
        <span className="spacer" />
        <Button leftSection={<IconCheck stroke={1.75} />} onClick={onStored}>
          I’ve stored it
        </Button>
      </footer>
    </Modal>
  );
}
