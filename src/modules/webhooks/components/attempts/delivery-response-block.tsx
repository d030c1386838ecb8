import { CodeBlock } from '@/components/values/code-block';
import { HttpText } from '@/components/values/json-text';
import type { Delivery, DeliveryAttempt } from '../../schema';
import { formatDuration } from './attempt-labels';

type DeliveryResponseBlockProps = { attempt: DeliveryAttempt; full: Delivery | undefined; isFailed: boolean };

export function DeliveryResponseBlock({ attempt, full, isFailed }: DeliveryResponseBlockProps) {
  const { number, status_code: code, duration_ms: durationMs, remote_address: from } = attempt;
  const answer = full?.attempts.find((one) => one.number === number)?.answer;
  const isTruncated = answer === undefined && isFailed;
  return (
    <>
      <CodeBlock
        title={code === null ? 'No response' : 'Response'}
        hint={isTruncated ? 'first line only' : hintOf(durationMs, from)}
        code={answer ?? attempt.answer}
        what="the response"
      >
        <HttpText text={answer ?? attempt.answer} />
      </CodeBlock>
      {/* After the block: on narrow screens only the last child has the height of its text, which would jump on loading. */}
      {code !== null && (
        <span className="sr-only" role="status">
          {isTruncated && 'Couldn’t load the rest of the response'}
        </span>
      )}
    </>
  );
}

function hintOf(tookMs: number, from: string | null): string {
  return from === null ? formatDuration(tookMs) : `${formatDuration(tookMs)}, from ${from}`;
}
