'use client';

import { Input } from '@mantine/core';
import { useId, useState } from 'react';
import { toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { Dialog } from '@/components/dialogs/dialog';
import { notify } from '@/components/notifications';
import { SegmentedControl } from '@/components/segmented-control';
import { formatCount, formatPlural } from '@/lib/format';
import type { Replayed } from '../../schema';

const HOUR_MS = 3_600_000;
const SPANS = { hour: '1 hour', day: '1 day', days: '3 days', month: '30 days' };
const SPAN_HOURS: Record<keyof typeof SPANS, number> = { hour: 1, day: 24, days: 72, month: 720 };

type ReplayFailedDialogProps = { id: string; opened: boolean; onClose: () => void };

export function ReplayFailedDialog({ id, opened, onClose }: ReplayFailedDialogProps) {
  const utils = trpc.useUtils();
  const labelId = useId();
  const [span, setSpan] = useState<keyof typeof SPANS>('days');
  const close = () => {
    replay.reset();
    onClose();
  };
  const replay = trpc.webhooks.replayFailed.useMutation({
    onSuccess: async (replayed) => {
      close();
      notify({ text: describe(replayed) });
      await utils.webhooks.invalidate();
    },
  });

  return (
    <Dialog
      opened={opened}
      isInUrl
      title="Replay abandoned deliveries"
      action="Replay deliveries"
      isBusy={replay.isPending}
      onClose={close}
      onSubmit={(event) => {
        event.preventDefault();
        replay.mutate({ id, since: new Date(Date.now() - SPAN_HOURS[span] * HOUR_MS).toISOString() });
      }}
    >
      <p className="soft">
        Replays abandoned deliveries, oldest first, each with new retries. Tests aren’t included. Each delivery keeps
        its <code style={{ whiteSpace: 'nowrap' }}>X-Service-Delivery</code> ID, so your endpoint can detect duplicates.
      </p>
      <div>
        <Input.Label id={labelId}>Time range</Input.Label>
        <div>
          <SegmentedControl label="Time range" value={span} options={SPANS} onChange={setSpan} />
        </div>
      </div>
      <ProblemAlert problem={replay.error ? toProblem(replay.error) : null} />
    </Dialog>
  );
}

function describe({ replayed, remaining }: Replayed): string {
  if (replayed === 0)
    return 'No deliveries to replay: none was abandoned in this time range, or their content was deleted';
  const done = `Replayed ${formatPlural(replayed, 'delivery', 'deliveries')}`;
  return remaining === 0 ? done : `${done}; ${formatCount(remaining)} left. Replay again to continue.`;
}
