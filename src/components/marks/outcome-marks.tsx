import { Group } from '@mantine/core';
import { isSlowSubmission, type Submission } from '@/lib/mail/slow-submission';
import { STATUSES, type Status, StatusMark } from './status-mark';

type OutcomeMarksProps = {
  message: Submission & { status: Status; on_hold?: boolean; outcomes: { status: Status; recipients: number }[] };
};

/** The status of a message, or how many recipients have which status if they differ. */
export function OutcomeMarks({ message }: OutcomeMarksProps) {
  const { status, on_hold: isHeld, outcomes } = message;
  if (isSlowSubmission(message)) return <SlowSubmission />;
  if (isHeld) return <StatusMark status="held" />;
  if (outcomes.length < 2 || status === 'uncertain') return <StatusMark status={messageStatus(status)} />;
  return (
    <Group gap="sm" wrap="nowrap">
      {outcomes.map(({ status: each, recipients }) => (
        <StatusMark key={each} status={messageStatus(each)}>
          {recipients}
          <span className="sr-only"> {STATUSES[messageStatus(each)][2].toLowerCase()}</span>
        </StatusMark>
      ))}
    </Group>
  );
}

/** A message, or one of its recipients, whose submission takes unusually long. */
export function SlowSubmission() {
  return (
    <span title="Your mail server hasn’t replied for over a minute">
      <StatusMark status="warning">No reply yet</StatusMark>
    </span>
  );
}

/** Names the API’s `sent` of a message or recipient “queued”, since `sent` is also the name of the total: no result is known yet. */
export function messageStatus(status: Status): Status {
  return status === 'sent' ? 'queued' : status;
}
