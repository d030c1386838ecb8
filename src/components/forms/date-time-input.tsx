'use client';

import { Input, TextInput, type TextInputProps } from '@mantine/core';
import { type FocusEvent, type KeyboardEvent, useState } from 'react';
import { formatZone } from '@/lib/format';
import { INCOMPLETE_MOMENT, isIncompleteMoment, joinMoment, splitMoment } from '@/lib/time/zoned-time';
import classes from './date-time-input.module.css';

type DateTimeInputProps = Omit<TextInputProps, 'label' | 'value' | 'onChange' | 'type'> & {
  label: string;
  /** The date and time, such as 2026-11-29T21:43. Empty, or incomplete while it is entered. */
  value: string;
  onChange: (value: string) => void;
  /** The time that a new date begins with. */
  initialClock?: string;
  /** Whether the time zone is shown elsewhere. */
  isZoneless?: boolean;
  /** Both fields were left, or Enter was pressed. */
  onLeave?: () => void;
};

/** The browser's field for the date, and a time of 24 hours, which the browser's own field has in few languages only. */
export function DateTimeInput({
  label,
  value,
  error,
  onChange,
  initialClock = '',
  isZoneless = false,
  onLeave,
  ...props
}: DateTimeInputProps) {
  const [date, clock] = splitMoment(value);
  // As it is typed, until the field is left.
  const [typed, setTyped] = useState<string | null>(null);
  const [isInside, setIsInside] = useState(false);
  const shown = error || (!isInside && isIncompleteMoment(value) && INCOMPLETE_MOMENT);
  const focus = {
    onFocus: () => setIsInside(true),
    onBlur: ({ currentTarget, relatedTarget }: FocusEvent<HTMLElement>) => {
      setTyped(null);
      if (currentTarget.parentElement?.parentElement?.contains(relatedTarget)) return;
      setIsInside(false);
      onLeave?.();
    },
    onKeyDown: ({ key }: KeyboardEvent) => key === 'Enter' && onLeave?.(),
  };
  return (
    <TextInput
      {...props}
      {...focus}
      label={label}
      type="date"
      error={shown}
      value={date}
      onChange={({ currentTarget: { value: next } }) =>
        onChange(joinMoment(next, date === '' && clock === '' && next !== '' ? initialClock : clock))
      }
      inputContainer={(input) => (
        <div className={classes.row}>
          {input}
          <Input
            {...focus}
            className={classes.clock}
            aria-label={`${label}, time`}
            placeholder="HH:MM"
            inputMode="numeric"
            autoComplete="off"
            maxLength={5}
            disabled={props.disabled}
            error={Boolean(shown)}
            value={typed ?? clock}
            onChange={({ currentTarget: { value: next } }) => {
              setTyped(next);
              onChange(joinMoment(date, next));
            }}
          />
          {!isZoneless && <span className="soft">{formatZone()}</span>}
        </div>
      )}
    />
  );
}
