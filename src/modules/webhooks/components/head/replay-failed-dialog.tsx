'use client';

import { Input } from '@mantine/core';
import { useId, useState } from 'react';
import { toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { Dialog } from '@/components/dialogs/dialog';
import { SegmentedControl } from '@/components/segmented-control';
import { formatCount, formatPlural } from '@/lib/format';
import type { Replayed } from '../../schema';
import type { Say } from '../use-webhook-actions';

const HOUR_MS = 3_600_000;
const SPANS = { hour: 'Hour', day: 'Day', days: '3 days', month: '30 days' };
const SPAN_HOURS: Record<keyof typeof SPANS, number> = { hour: 1, day: 24, days: 72, month: 720 };

type ReplayFailedDialogProps = { id: string; opened: boolean; onClose: () => void; say: Say };

export function ReplayFailedDialog({ id, opened, onClose, say }: ReplayFailedDialogProps) {
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
      say(wordsOf(replayed));
      await utils.webhooks.invalidate();
    },
  });

  return (
    <Dialog
      opened={opened}
      title="Replay what failed"
      action="Replay them"
      isBusy={replay.isPending}
      onClose={close}
      onSubmit={(event) => {
        event.preventDefault();
        replay.mutate({ id, since: new Date(Date.now() - SPAN_HOURS[span] * HOUR_MS).toISOString() });
      }}
    >
      <p className="soft">
        Deliveries that were abandoned are sent again, the oldest first, each with its retries. Tests are not among
        them. An endpoint that has one already knows it by its <code className="nowrap">X-Service-Delivery</code>, which
        stays the same.
      </p>
      <div>
        <Input.Label id={labelId}>Of the last</Input.Label>
        <div>
          <SegmentedControl label="Of the last" value={span} options={SPANS} onChange={setSpan} />
        </div>
      </div>
      <ProblemAlert problem={replay.error ? toProblem(replay.error) : null} />
    </Dialog>
  );
}

function wordsOf({ replayed, remaining }: Replayed): string {
  if (replayed === 0) return 'Nothing failed in that time, or its content is no longer kept';
  const done = `${formatPlural(replayed, 'delivery is', 'deliveries are')} sent again`;
  return remaining === 0 ? done : `${done}; ${formatCount(remaining)} remain: replay again for those`;
}
