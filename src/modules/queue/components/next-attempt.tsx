import { TimeAgo } from '@/components/values/time-ago';
import { formatFull } from '@/lib/format';

const MINUTE_MS = 60_000;

type NextAttemptProps = {
  at: string;
  /** Shown from the last minute on. Postfix looks every minute for messages whose time has come. */
  due?: string;
};

export function NextAttempt({ at, due = 'due now' }: NextAttemptProps) {
  if (Date.parse(at) > Date.now() + MINUTE_MS) return <TimeAgo iso={at} />;
  return (
    <time dateTime={at} title={formatFull(at)} suppressHydrationWarning>
      {due}
    </time>
  );
}
