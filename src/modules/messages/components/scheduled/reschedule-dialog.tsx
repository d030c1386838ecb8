'use client';

import { useState } from 'react';
import { ifUnchanged } from '@/components/api/if-unchanged';
import { toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { Dialog } from '@/components/dialogs/dialog';
import { DateTimeInput } from '@/components/forms/date-time-input';
import { currentTimeZone } from '@/lib/time/time-zone';
import { enteredTime, inputValue } from '@/lib/time/zoned-time';
import type { Message } from '../../schema';

type RescheduleDialogProps = { message: Message; opened: boolean; onClose: () => void };

export function RescheduleDialog({ message, opened, onClose }: RescheduleDialogProps) {
  const zone = currentTimeZone();
  const [text, setText] = useState(message.send_at ? inputValue(new Date(message.send_at), zone) : '');
  const utils = trpc.useUtils();
  const reschedule = trpc.sending.reschedule.useMutation({ onSettled: () => utils.messages.invalidate() });
  const sendAt = enteredTime(text, zone);
  return (
    <Dialog
      opened={opened}
      title="Reschedule message"
      action="Reschedule message"
      isBusy={reschedule.isPending}
      isDisabled={sendAt === null}
      onClose={onClose}
      onSubmit={(event) => {
        event.preventDefault();
        if (!sendAt) return;
        const input = { id: message.id, send_at: sendAt.toISOString() };
        reschedule.mutate(ifUnchanged('message', message, input), { onSuccess: onClose });
      }}
    >
      <p className="soft">At most 30 days ahead. A time in the past sends the message immediately.</p>
      <DateTimeInput label="Send at" data-autofocus value={text} onChange={setText} />
      <ProblemAlert problem={reschedule.error ? toProblem(reschedule.error) : null} />
    </Dialog>
  );
}
