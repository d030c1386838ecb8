'use client';

import { Button } from '@mantine/core';
import { notifications, Notifications as StackedNotifications } from '@mantine/notifications';
import '@mantine/notifications/styles.css';
import { useEffect, useRef } from 'react';
import type { Problem } from './api/problem';
import { IconArrowBackUp } from './icons/icons';
import { StatusMark } from './marks/status-mark';
import { NearLink } from './near-link';
import classes from './notifications.module.css';

export type Notice = {
  text: string;
  problem?: Problem;
  undo?: () => void;
  /** Where to go on. */
  link?: { label: string; href: string };
  /** Moves the focus here, because the focused element is gone. */
  takesFocus?: boolean;
};

const CLOSES_AFTER_MS = 10_000;
const CLOSES_WITH_UNDO_AFTER_MS = 30_000;

let latest: string | undefined;

/** Shows the result of an action instead of the result before it. Problems stay until they are closed. */
export function notify(notice: Notice): void {
  const { problem, undo } = notice;
  const takesFocus = notice.takesFocus || hasFocus();
  if (latest) notifications.hide(latest);
  const id = notifications.show({
    role: problem ? 'alert' : 'presentation',
    message: <Message {...notice} takesFocus={takesFocus} />,
    autoClose: problem ? false : undo ? CLOSES_WITH_UNDO_AFTER_MS : CLOSES_AFTER_MS,
    mod: { tone: problem ? 'bounced' : 'quiet' },
    classNames: classes,
    closeButtonProps: { 'aria-label': 'Close' },
  });
  latest = problem ? undefined : id;
}

/** Hides the last result when another action begins, so that its Undo isn't clicked by mistake; not while focused. */
export function dismissResult(): void {
  if (latest && !hasFocus()) notifications.hide(latest);
}

/** The region of the notifications, which screen readers announce. */
export function Notifications() {
  return (
    <div role="status" className={classes.region}>
      <StackedNotifications
        position="bottom-center"
        // Only this layout waits while a notification has the focus.
        layout="stacked"
        containerWidth={640}
        transitionDuration={120}
        withinPortal={false}
      />
    </div>
  );
}

function Message({ text, problem, undo, link, takesFocus }: Notice) {
  const message = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (takesFocus) rootOf(message.current)?.querySelector('button')?.focus();
  }, [takesFocus]);
  return (
    <div ref={message} className={classes.message}>
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
      {link && <NearLink href={link.href}>{link.label}</NearLink>}
      {undo && (
        <Button size="xs" leftSection={<IconArrowBackUp stroke={1.5} />} onClick={undo}>
          Undo
        </Button>
      )}
    </div>
  );
}

function hasFocus(): boolean {
  return rootOf(document.activeElement) !== null;
}

function rootOf(element: Element | null): Element | null {
  return element?.closest(`.${classes.root}`) ?? null;
}
