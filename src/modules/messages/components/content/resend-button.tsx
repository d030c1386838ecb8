'use client';

import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { lazyDialog } from '@/components/dialogs/lazy-dialog';
import { IconSend } from '@/components/icons/icons';
import type { Message } from '../../schema';

const ResendDialog = lazyDialog(() => import('./resend-dialog').then((module) => module.ResendDialog));

type ResendButtonProps = { message: Message; variant?: 'outline' };

/** The outcome of a message that is being submitted is known within seconds. */
export function canResend({ direction, status, content }: Message): boolean {
  return direction === 'outbound' && status !== 'scheduled' && status !== 'submitting' && content.state === 'kept';
}

export function ResendButton({ message, variant }: ResendButtonProps) {
  const [opened, dialog] = useDisclosure(false);
  return (
    <>
      <Button variant={variant} leftSection={<IconSend stroke={1.5} />} onClick={dialog.open}>
        Resend message
      </Button>
      <ResendDialog message={message} opened={opened} onClose={dialog.close} />
    </>
  );
}
