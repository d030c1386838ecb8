'use client';

import { Checkbox } from '@mantine/core';
import type { ReactNode } from 'react';
import { SegmentedControl } from '@/components/segmented-control';
import { EVENT_TYPES } from '@/lib/event-types';
import classes from './event-choice.module.css';
import { EVENT_DESCRIPTIONS, type EventChoice } from './webhook-values';

type EventChoiceProps = {
  value: EventChoice;
  error: ReactNode;
  onChange: (value: EventChoice) => void;
};

export function EventChoiceInput({ value, error, onChange }: EventChoiceProps) {
  const { isAll, selected } = value;
  return (
    <Checkbox.Group
      label="Events"
      error={error}
      value={selected}
      onChange={(types) => onChange({ isAll: false, selected: types })}
    >
      <div className={classes.choice}>
        <SegmentedControl
          label="Event selection"
          value={isAll ? 'all' : 'some'}
          options={{ all: 'All events', some: 'Selected events' }}
          onChange={(which) => onChange({ isAll: which === 'all', selected })}
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
