'use client';

import { Button, Modal } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useState } from 'react';
import { CopyButton } from '@/components/copy-button';

type PasswordOnceDialogProps = { email: string; password: string; onStored: () => void };

/** A password that was made here is nowhere else once this closes, so only storing it closes it. */
export function PasswordOnceDialog({ email, password, onStored }: PasswordOnceDialogProps) {
  const [isCopied, setIsCopied] = useState(false);
  return (
    <Modal
      opened
      title={`Copy the password of ${email}`}
      yOffset={72}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      onClose={() => undefined}
    >
      <div className="fields">
        <p className="soft">This is the only time it is shown. Postroom keeps a hash of it and cannot show it again.</p>
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
          I have stored it
        </Button>
      </footer>
    </Modal>
  );
}
