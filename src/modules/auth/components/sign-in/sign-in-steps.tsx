import { type Hop, Timeline } from '@/components/marks/timeline';
import { formatMoment, formatStampDay } from '@/lib/format';
import type { PendingSignIn } from './pending-sign-in';

/** Both steps as a timeline: the first one done, the second one pending. */
export function SignInSteps({ pending: { email, expiresAt, since } }: { pending: PendingSignIn }) {
  const day = formatStampDay(since);
  const hops: Hop[] = [
    {
      id: 'first',
      code: 'PASS',
      state: 'passed',
      rim: ['STEP ONE', day],
      title: email === null ? 'Identity provider accepted' : 'Password accepted',
      at: formatMoment(since),
      dateTime: since,
    },
    {
      id: 'second',
      code: '…',
      state: 'pending',
      rim: ['STEP TWO', day],
      title: 'Waiting for code',
      at: `until ${formatMoment(expiresAt)}`,
      dateTime: expiresAt,
    },
  ];
  return <Timeline label="Sign-in steps" hops={hops} />;
}
