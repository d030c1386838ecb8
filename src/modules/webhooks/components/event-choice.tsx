'use client';

import { Checkbox } from '@mantine/core';
import type { ReactNode } from 'react';
import { SegmentedControl } from '@/components/segmented-control';
import { EVENT_TYPES } from '@/lib/event-types';
import { EVENT_MEANINGS, type EventChoice } from './webhook-values';

type EventChoiceProps = {
  value: EventChoice;
  error: ReactNode;
  onChange: (value: EventChoice) => void;
};

export function EventChoiceInput({ value, error, onChange }: EventChoiceProps) {
  const { isAll, chosen } = value;
  return (
    <Checkbox.Group
      label="Events"
      error={error}
      value={chosen}
      onChange={(types) => onChange({ isAll: false, chosen: types })}
    >
      <div className="event-choice">
        <SegmentedControl
          label="Which events"
          value={isAll ? 'all' : 'some'}
          options={{ all: 'All events', some: 'Chosen ones' }}
          onChange={(which) => onChange({ isAll: which === 'all', chosen })}
        />
        {isAll ? (
          <p className="soft">Of every kind, also whole messages with their attachments, and kinds added later.</p>
        ) : (
          EVENT_TYPES.map((type) => (
            <Checkbox
              key={type}
              value={type}
              label={
                <span className="event-line">
                  <code>{type}</code> <span className="soft">{EVENT_MEANINGS[type]}</span>
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
