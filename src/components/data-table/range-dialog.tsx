'use client';

import { useState } from 'react';
import { currentTimeZone } from '@/lib/time/time-zone';
import { enteredTime, inputValue, isIncompleteMoment } from '@/lib/time/zoned-time';
import { Dialog } from '../dialogs/dialog';
import { DateTimeInput } from '../forms/date-time-input';

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
  const isIncomplete = [from, to].some(isIncompleteMoment);
  const isReversed = chosen[0] !== null && chosen[1] !== null && chosen[1] <= chosen[0];
  return (
    <Dialog
      opened={opened}
      title="Custom range"
      action="Show range"
      isDisabled={isReversed || isIncomplete || (from === '' && to === '')}
      onClose={onClose}
      onSubmit={(event) => {
        event.preventDefault();
        onChoose(...chosen);
        onClose();
      }}
    >
      <p className="soft">Leave one empty for a range without that end.</p>
      <DateTimeInput label="From" data-autofocus initialClock="00:00" value={from} onChange={setFrom} />
      <DateTimeInput
        label="To"
        initialClock="00:00"
        value={to}
        error={isReversed && 'Enter a time after the start.'}
        onChange={setTo}
      />
    </Dialog>
  );
}
