import { CodeBlock } from '@/components/code-block';
import type { Delivery, DeliveryAttempt } from '../../schema';
import { formatTook } from './attempt-words';

type DeliveryAnswerBlockProps = { attempt: DeliveryAttempt; whole: Delivery | undefined; isFailed: boolean };

export function DeliveryAnswerBlock({ attempt, whole, isFailed }: DeliveryAnswerBlockProps) {
  const { number, status_code: code, duration_ms: took, remote_address: from } = attempt;
  const answer = whole?.attempts.find((one) => one.number === number)?.answer;
  const isCut = answer === undefined && isFailed;
  return (
    <>
      <CodeBlock
        title={code === null ? 'No answer' : 'Answer'}
        hint={isCut ? 'only its first line' : hintOf(took, from)}
        code={answer ?? attempt.answer}
        what="the answer"
      />
      {/* Behind it, so that it has its full height from the start: what is last is as high as its text when narrow. */}
      {code !== null && (
        <span className="sr-only" role="status">
          {isCut && 'The rest of the answer could not be loaded'}
        </span>
      )}
    </>
  );
}

function hintOf(tookMs: number, from: string | null): string {
  return from === null ? formatTook(tookMs) : `${formatTook(tookMs)}, from ${from}`;
}
