import { TimeAgo } from '@/components/values/time-ago';
import { formatFull } from '@/lib/format';

/** Postfix looks every minute for messages whose time has come. */
export function NextAttempt({ at }: { at: string }) {
  if (Date.parse(at) > Date.now()) return <TimeAgo iso={at} />;
  return (
    <time dateTime={at} title={formatFull(at)} suppressHydrationWarning>
      due now
    </time>
  );
}
