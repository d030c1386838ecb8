'use client';

import { ActionIcon, Button } from '@mantine/core';
import { IconArrowBackUp, IconX } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import type { Problem } from './api/problem';
import { StatusMark } from './marks/status-mark';

export type Notice = {
  key: number;
  text: string;
  problem?: Problem;
  undo?: () => void;
  /** Moves the focus here, because the focused element is gone. */
  takesFocus?: boolean;
};

type NotificationProps = { notice: Notice | null; onDismiss: () => void };

/** The result of the last action, with Undo where possible. */
export function Notification({ notice, onDismiss }: NotificationProps) {
  return (
    <div className="notification-region" role="status">
      {notice && <Bar key={notice.key} notice={notice} onDismiss={onDismiss} />}
    </div>
  );
}

function Bar({ notice, onDismiss }: { notice: Notice; onDismiss: () => void }) {
  const { text, problem, undo, takesFocus } = notice;
  const undoButton = useRef<HTMLButtonElement>(null);
  const closeButton = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (takesFocus) (undoButton.current ?? closeButton.current)?.focus();
  }, [takesFocus]);

  return (
    <div className="notification" data-tone={problem ? 'bounced' : 'quiet'} role={problem ? 'alert' : undefined}>
      <div>
        {problem ? <StatusMark status="bounced">{text}</StatusMark> : <span>{text}</span>}
        {problem && (
          <p className="soft">
            {problem.message}{' '}
            <code>
              {problem.code}
              {problem.requestId && `, request ${problem.requestId}`}
            </code>
          </p>
        )}
      </div>
      {undo && (
        <Button ref={undoButton} size="xs" leftSection={<IconArrowBackUp stroke={1.5} />} onClick={undo}>
          Undo
        </Button>
      )}
      <ActionIcon ref={closeButton} aria-label="Close" onClick={onDismiss}>
        <IconX size={16} stroke={1.5} />
      </ActionIcon>
    </div>
  );
}
