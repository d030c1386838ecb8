'use client';

import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { formatZone } from '@/lib/format';
import { currentTimeZone } from '@/lib/time/time-zone';
import { enteredTime, inputValue } from '@/lib/time/zoned-time';
import { Dialog } from '../dialogs/dialog';

type RangeDialogProps = {
  opened: boolean;
  start: Date | null;
  end: Date | null;
  onClose: () => void;
  onChoose: (start: Date | null, end: Date | null) => void;
};

/** Chooses from when to when. Either may be empty. */
export function RangeDialog({ opened, start, end, onClose, onChoose }: RangeDialogProps) {
  const zone = currentTimeZone();
  const [from, setFrom] = useState(start ? inputValue(start, zone) : '');
  const [to, setTo] = useState(end ? inputValue(end, zone) : '');
  const chosen = [enteredTime(from, zone), enteredTime(to, zone)] as const;
  const isReversed = chosen[0] !== null && chosen[1] !== null && chosen[1] <= chosen[0];
  return (
    <Dialog
      opened={opened}
      title="Custom range"
      action="Show range"
      isDisabled={isReversed || (from === '' && to === '')}
      onClose={onClose}
      onSubmit={(event) => {
        event.preventDefault();
        onChoose(...chosen);
        onClose();
      }}
    >
      <p className="soft">Times are in {formatZone()}. Leave one empty for a range without that end.</p>
      <TextInput
        label="From"
        type="datetime-local"
        data-autofocus
        value={from}
        onChange={(event) => setFrom(event.currentTarget.value)}
      />
      <TextInput
        label="To"
        type="datetime-local"
        value={to}
        error={isReversed && 'Enter a time after the start.'}
        onChange={(event) => setTo(event.currentTarget.value)}
      />
    </Dialog>
  );
}
