'use client';

import { Checkbox } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { SegmentedControl } from '@/components/segmented-control';
import { ALL_EVENTS, EVENT_DESCRIPTIONS, EVENT_TYPES, type EventType } from '@/lib/event-types';
import classes from './events-input.module.css';

export type EventTypes = (EventType | typeof ALL_EVENTS)[];

type EventsInputProps = {
  value: EventTypes;
  error?: ReactNode;
  onChange: (value: EventTypes) => void;
};

export function EventsInput({ value, error, onChange }: EventsInputProps) {
  const isAll = value.includes(ALL_EVENTS);
  const [selected, setSelected] = useState(isAll ? [] : value);
  const select = (types: string[]) => {
    const inOrder = EVENT_TYPES.filter((type) => types.includes(type));
    setSelected(inOrder);
    onChange(inOrder);
  };
  return (
    <Checkbox.Group label="Events" error={error} value={isAll ? selected : value} onChange={select}>
      <div className={classes.choice}>
        <SegmentedControl
          label="Event selection"
          value={isAll ? 'all' : 'some'}
          options={{ all: 'All events', some: 'Selected events' }}
          onChange={(which) => onChange(which === 'all' ? [ALL_EVENTS] : selected)}
        />
        {isAll ? (
          <p className="soft">All events, including full messages with attachments and any event types added later.</p>
        ) : (
          EVENT_TYPES.map((type) => (
            <Checkbox
              key={type}
              value={type}
              label={
                <span className={classes.event}>
                  <code>{type}</code> <span className="soft">{EVENT_DESCRIPTIONS[type]}</span>
                </span>
              }
              error={Boolean(error)}
            />
          ))
        )}
      </div>
    </Checkbox.Group>
  );
}
