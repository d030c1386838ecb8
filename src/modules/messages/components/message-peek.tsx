'use client';

import { ActionIcon } from '@mantine/core';
import { IconArrowUpRight, IconChevronDown, IconChevronUp } from '@/components/icons/icons';
import { OutcomeMarks } from '@/components/marks/outcome-marks';
import { NearLink } from '@/components/near-link';
import { Peek } from '@/components/shell/peek';
import type { MessageSummary } from '../schema';
import { MessageView, MessageViewError, MessageViewSkeleton } from './message-view';
import { useMessage } from './use-message';

type MessagePeekProps = { id: string; rows: MessageSummary[]; onOpen: (id: string | null) => void };

const ICON = { size: 16, stroke: 1.5 } as const;

export function MessagePeek({ id, rows, onOpen }: MessagePeekProps) {
  const { data: message, isError, error, refetch } = useMessage(id);
  const index = rows.findIndex((row) => row.id === id);
  const shown = message ?? rows[index];
  const previous = index > 0 ? rows[index - 1]?.id : undefined;
  const next = index >= 0 ? rows[index + 1]?.id : undefined;

  return (
    <Peek
      label={message ? `Message: ${message.subject}` : 'Message'}
      onClose={() => onOpen(null)}
      title={
        <>
          {shown && <OutcomeMarks message={shown} />}
          {index >= 0 && (
            <span className="quiet only-wide">
              {index + 1} of {rows.length}
            </span>
          )}
        </>
      }
      buttons={
        <>
          <ActionIcon
            aria-label="Previous message"
            title="Previous message"
            disabled={!previous}
            onClick={() => previous && onOpen(previous)}
          >
            <IconChevronUp {...ICON} />
          </ActionIcon>
          <ActionIcon
            aria-label="Next message"
            title="Next message"
            disabled={!next}
            onClick={() => next && onOpen(next)}
          >
            <IconChevronDown {...ICON} />
          </ActionIcon>
          <ActionIcon component={NearLink} href={`/messages/${id}`} aria-label="Open full page" title="Open full page">
            <IconArrowUpRight {...ICON} />
          </ActionIcon>
        </>
      }
    >
      {message && <MessageView message={message} withTitle />}
      {!message && isError && <MessageViewError error={error} onRetry={() => void refetch()} />}
      {!message && !isError && <MessageViewSkeleton />}
    </Peek>
  );
}
