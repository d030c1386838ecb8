import { Group } from '@mantine/core';
import { STATUSES, type Status, StatusMark } from './status-mark';

type OutcomeMarksProps = { message: { status: Status; outcomes: { status: Status; recipients: number }[] } };

/** The status of a message, or how many recipients have which status if they differ. */
export function OutcomeMarks({ message: { status, outcomes } }: OutcomeMarksProps) {
  if (outcomes.length < 2 || status === 'uncertain') return <StatusMark status={status} />;
  return (
    <Group gap="sm" wrap="nowrap">
      {outcomes.map((each) => (
        <StatusMark key={each.status} status={each.status}>
          {each.recipients}
          <span className="sr-only"> {STATUSES[each.status][2].toLowerCase()}</span>
        </StatusMark>
      ))}
    </Group>
  );
}
