'use client';

import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import { ConfirmDialog } from '@/components/dialogs/confirm-dialog';
import { lazyDialog } from '@/components/dialogs/lazy-dialog';
import { formatFull } from '@/lib/format';
import type { Message } from '../../schema';

const RescheduleDialog = lazyDialog(() => import('./reschedule-dialog').then((module) => module.RescheduleDialog));

/** The actions on a message that has not left. */
export function ScheduledButtons({ message }: { message: Message }) {
  const [isRescheduling, reschedule] = useDisclosure(false);
  const [isCancelling, cancelling] = useDisclosure(false);
  const utils = trpc.useUtils();
  // Also after a conflict: the message may have left.
  const cancel = trpc.sending.cancel.useMutation({ onSettled: () => utils.messages.invalidate() });
  const close = () => {
    cancel.reset();
    cancelling.close();
  };
  return (
    <>
      <Button variant="outline" onClick={reschedule.open}>
        Reschedule message
      </Button>
      <Button variant="outline" color="red" onClick={cancelling.open}>
        Cancel message
      </Button>
      <RescheduleDialog message={message} opened={isRescheduling} onClose={reschedule.close} />
      <ConfirmDialog
        opened={isCancelling}
        title="Cancel message"
        action="Cancel message"
        dismiss="Keep message"
        problem={cancel.error ? toProblem(cancel.error) : null}
        isBusy={cancel.isPending}
        onClose={close}
        onConfirm={() => cancel.mutate({ id: message.id }, { onSuccess: close })}
      >
        <p className="soft">
          {message.send_at ? `The message won’t be sent on ${formatFull(message.send_at)}. ` : ''}
          Its content is deleted. This can’t be undone.
        </p>
      </ConfirmDialog>
    </>
  );
}
